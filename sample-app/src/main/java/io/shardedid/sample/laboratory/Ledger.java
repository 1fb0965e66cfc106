package io.shardedid.sample.laboratory;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Keeps writing rows while everything goes wrong, and books what the database
 * acknowledged: nothing of it may be missing, no id may be there already, and none may be
 * smaller than the one before. Starts anew when it is full.
 *
 * <p>
 * A row without an answer may be there or not. Its id is kept, so that such rows, when
 * they are counted, do not count for rows that are missing.
 */
class Ledger implements SmartInitializingSingleton, DisposableBean {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int CHECK_EVERY = 50;

    private static final int FULL = 200_000;

    private static final int MOST_UNANSWERED = 500;

    private final LongSupplier ids;

    private final JdbcTemplate sql;

    private final EventLog events;

    private final Thread writer = new Thread(this::write, "ledger");

    private volatile LedgerView view = LedgerView.EMPTY;

    private volatile boolean closing;

    /** By the writer alone, like the next one. */
    private final Set<Long> unanswered = new HashSet<>();

    private long latest;

    Ledger(LongSupplier ids, JdbcTemplate sql, EventLog events) {
        this.ids = ids;
        this.sql = sql;
        this.events = events;
    }

    @Override
    public void afterSingletonsInstantiated() {
        this.sql.execute("create table if not exists chaos_ledger (id bigint primary key, author bigint not null)");
        this.sql.execute("truncate table chaos_ledger");
        this.writer.setDaemon(true);
        this.writer.start();
    }

    LedgerView view() {
        return this.view;
    }

    private void write() {
        for (long round = 0; !this.closing; round++) {
            try {
                row();
                if (round % CHECK_EVERY == 0) {
                    check();
                }
            }
            catch (DuplicateKeyException ex) {
                this.view = this.view.withDoubled();
                this.events.add("An id was there already!");
            }
            catch (RuntimeException ex) {
                this.view = this.view.withRetry();
                this.events.add("A writer got no answer and tries again: " + ex.getClass().getSimpleName() + ".");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** A row of its own transaction, acknowledged when this returns. */
    private void row() {
        long id = this.ids.getAsLong();
        boolean backwards = id <= this.latest;
        this.latest = id;
        try {
            this.sql.update("insert into chaos_ledger (id, author) values (?, ?)", id,
                    ThreadLocalRandom.current().nextLong(2000));
        }
        catch (DuplicateKeyException ex) {
            throw ex;
        }
        catch (RuntimeException ex) {
            this.unanswered.add(id);
            throw ex;
        }
        this.view = this.view.withRow(backwards);
    }

    private void check() {
        // First: one that arrives between the counts must not look like a loss.
        long late = this.unanswered.stream()
            .mapToLong((id) -> count("select count(*) from chaos_ledger where id = " + id))
            .sum();
        this.view = this.view.counted(count("select count(*) from chaos_ledger") - late);
        if (this.view.acknowledged() >= FULL || this.unanswered.size() >= MOST_UNANSWERED) {
            this.sql.execute("truncate table chaos_ledger");
            this.unanswered.clear();
            this.view = LedgerView.EMPTY;
        }
    }

    private long count(String query) {
        Long rows = this.sql.queryForObject(query, Long.class);
        return (rows != null) ? rows : 0;
    }

    @Override
    public void destroy() throws InterruptedException {
        this.closing = true;
        this.writer.join(TimeUnit.SECONDS.toMillis(8));
    }

}
