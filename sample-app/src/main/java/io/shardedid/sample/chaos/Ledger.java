package io.shardedid.sample.chaos;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.ShardedIds;
import io.shardedid.sample.dashboard.EventLog;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Profile;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Keeps writing rows while everything goes wrong, and books what the database
 * acknowledged: nothing of it may be missing, no id may be there already, and none may be
 * smaller than the one before. Starts anew when it is full.
 */
@Component
@Profile("chaos")
class Ledger implements SmartInitializingSingleton, DisposableBean {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int CHECK_EVERY = 50;

    private static final int FULL = 200_000;

    private final ShardedIds ids;

    private final JdbcTemplate sql;

    private final EventLog events;

    private final Thread writer = new Thread(this::write, "ledger");

    private volatile LedgerView view = LedgerView.EMPTY;

    private volatile boolean closing;

    private long latest;

    Ledger(ShardedIds ids, JdbcTemplate sql, EventLog events) {
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
                this.view = row(this.view);
                if (round % CHECK_EVERY == 0) {
                    check();
                }
            }
            catch (DuplicateKeyException ex) {
                this.view = this.view.withDoubled();
                this.events.add("An id was there already!");
            }
            catch (RuntimeException ex) {
                // Not acknowledged, so it need not be there; if it is, it is no loss.
                this.view = this.view.withRetry();
                this.events.add("A writer got no answer and tries again: " + ex.getClass().getSimpleName() + ".");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** A row of its own transaction, acknowledged when this returns. */
    private LedgerView row(LedgerView before) {
        long id = this.ids.next();
        boolean backwards = id <= this.latest;
        this.latest = id;
        this.sql.update("insert into chaos_ledger (id, author) values (?, ?)", id,
                ThreadLocalRandom.current().nextLong(2000));
        return before.withRow(backwards);
    }

    private void check() {
        Long rows = this.sql.queryForObject("select count(*) from chaos_ledger", Long.class);
        this.view = this.view.counted((rows != null) ? rows : 0);
        if (this.view.acknowledged() >= FULL) {
            this.sql.execute("truncate table chaos_ledger");
            this.view = LedgerView.EMPTY;
        }
    }

    @Override
    public void destroy() throws InterruptedException {
        this.closing = true;
        this.writer.join(TimeUnit.SECONDS.toMillis(8));
    }

}
