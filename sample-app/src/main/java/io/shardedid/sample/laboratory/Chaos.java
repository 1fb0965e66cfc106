package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import io.shardedid.ShardedIdEngine;

import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * What can be made to go wrong. Templates call it by its name.
 */
@Component("chaos")
@Profile("chaos")
class Chaos {

    private final ShardedIdEngine ids;

    private final SteppedTime time;

    private final Outage outage;

    private final Ledger ledger;

    private final JdbcTemplate sql;

    private final EventLog events;

    Chaos(ShardedIdEngine ids, SteppedTime time, Outage outage, Ledger ledger, JdbcTemplate sql, EventLog events) {
        this.ids = ids;
        this.time = time;
        this.outage = outage;
        this.ledger = ledger;
        this.sql = sql;
        this.events = events;
    }

    public ChaosView view() {
        return new ChaosView(seconds(this.time.instant()), seconds(this.ids.clock().instant()),
                this.time.stepped().toSeconds(), this.outage.length().toSeconds(), this.outage.stopped(),
                this.ledger.view());
    }

    private static Instant seconds(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS);
    }

    void stepClock(Duration by) {
        this.time.step(by);
        this.events
            .add("A visitor set this machine's clock %s by %s minutes. Ids go by the database and a monotonic clock."
                .formatted(by.isNegative() ? "back" : "ahead", by.abs().toMinutes()));
    }

    void setClockRight() {
        this.time.setRight();
        this.events.add("A visitor set this machine's clock right.");
    }

    void stopDatabase() {
        this.outage.begin();
    }

    /**
     * Writes another token into the row of this process, which is what it finds when
     * another process has taken its worker id.
     */
    void killLease() {
        int worker = this.ids.stats().worker();
        int rows = this.sql.update(
                "update shardedid_worker set token = ?, fence = fence + 1, owner = ? "
                        + "where namespace = 'default' and worker_id = ?",
                UUID.randomUUID().toString(), "a thief", worker);
        this.events.add((rows == 1) ? "A visitor took worker id %s away from this process.".formatted(worker)
                : "There was no lease to take away.");
    }

}
