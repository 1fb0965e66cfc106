package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A ledger that finds something: each time with ids or a database that are broken.
 */
@Tag("slow")
class LedgerTest {

    private final AtomicLong ids = new AtomicLong();

    private final JdbcTemplate sql = new Forgetful(new DriverManagerDataSource("jdbc:h2:mem:ledger;DB_CLOSE_DELAY=-1"));

    private volatile boolean forgetful;

    private Ledger ledger;

    /** Writes the row, then says that it got no answer. */
    private final class Forgetful extends JdbcTemplate {

        Forgetful(DriverManagerDataSource database) {
            super(database);
        }

        @Override
        public int update(String statement, Object... values) {
            int rows = super.update(statement, values);
            if (LedgerTest.this.forgetful) {
                throw new QueryTimeoutException("no answer");
            }
            return rows;
        }

    }

    @AfterEach
    void close() throws InterruptedException {
        this.ledger.destroy();
        this.sql.execute("drop all objects");
    }

    @Test
    void findsNothingWhereNothingIsWrong() {
        open(this.ids::incrementAndGet);
        counted(20);
        assertThat(this.ledger.view()).extracting(LedgerView::lost, LedgerView::doubled, LedgerView::backwards)
            .containsExactly(0L, 0L, 0L);
    }

    @Test
    void findsARowThatTheDatabaseLost() {
        open(this.ids::incrementAndGet);
        counted(20);
        assertThat(this.sql.update("delete from chaos_ledger where id = 7")).isEqualTo(1);
        until(() -> this.ledger.view().lost() == 1);
    }

    @Test
    void findsALostRowAlsoWhereOthersHaveGotNoAnswer() {
        open(this.ids::incrementAndGet);
        counted(20);
        this.forgetful = true;
        until(() -> this.ledger.view().retries() >= 5);
        this.forgetful = false;
        counted(this.ledger.view().acknowledged() + 1);
        assertThat(this.ledger.view().lost()).isZero();
        assertThat(this.sql.update("delete from chaos_ledger where id = 7")).isEqualTo(1);
        until(() -> this.ledger.view().lost() == 1);
    }

    @Test
    void findsAnIdThatIsThereAlready() {
        open(() -> (this.ids.incrementAndGet() == 30) ? 29 : this.ids.get());
        until(() -> this.ledger.view().doubled() == 1);
        assertThat(this.ledger.view().lost()).isZero();
    }

    @Test
    void findsAnIdThatGoesBack() {
        open(() -> (this.ids.incrementAndGet() == 30) ? -1 : this.ids.get());
        until(() -> this.ledger.view().backwards() == 1);
    }

    private void open(LongSupplier source) {
        this.ledger = new Ledger(source, this.sql, new EventLog());
        this.ledger.afterSingletonsInstantiated();
    }

    /** Until the rows were counted and were at least so many. */
    private void counted(long rows) {
        until(() -> this.ledger.view().counted() >= rows);
    }

    private static void until(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10)).until(condition);
    }

}
