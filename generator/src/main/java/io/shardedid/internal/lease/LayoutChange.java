package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.shardedid.EngineTerms;
import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.IdLayoutBuilder;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Ends a namespace in favour of another one with another layout. The rows of the old one
 * are taken forever, so that a process with the old configuration, started by mistake,
 * gets no worker id. It can be repeated when it broke off half way.
 *
 * @param from the namespace that ends
 * @param to the one that replaces it
 * @param store opens the store of the first
 */
record LayoutChange(String from, String to, Supplier<? extends LeaseStore> store) {

    /** The end of the year 9999. */
    static final long FOREVER = 253_402_300_799_000L;

    private static final String STOP_THE_OLD_ONES = "Stop all processes of the old namespace, and start again. Nothing "
            + "was replaced that a second start could not repeat.";

    /**
     * Closes the old namespace.
     * @return the first tick that the new one may use, in the new layout's ticks
     * @throws ShardedIdConfigurationException if the new layout cannot follow the old one
     * @throws WorkerLeaseException if a process still holds a lease there
     */
    long close(EngineTerms terms, LeaseSettings leaseSettings) {
        try (LeaseStore old = this.store.get()) {
            LeaseReply.Rows rows = rows(old);
            LeaseRow layout = rows.row(LeaseRow.LAYOUT).orElseThrow(() -> refused("it has no rows", null));
            IdLayout before = layout(String.valueOf(layout.layout()));
            LeaseHandOver.elsewhere(rows).ifPresent((elsewhere) -> {
                throw refused("worker ids %s belong to another lease table".formatted(elsewhere),
                        "hand the worker ids of all tables over to one of them first");
            });
            requireStopped(rows, leaseSettings);
            long end = LeaseRules.of(leaseSettings).end(rows, before, old.durability());
            long first = first(before, end, terms.layout(), rows.databaseMillis());
            int workers = LeaseRules.workers(before);
            for (int worker = 0; worker < workers; worker++) {
                take(old, rows, worker);
            }
            return first;
        }
    }

    private void requireStopped(LeaseReply.Rows rows, LeaseSettings leaseSettings) {
        String holders = rows.rows()
            .stream()
            .filter((row) -> row.worker() != LeaseRow.LAYOUT
                    && row.leaseUntilMillis() >= rows.databaseMillis() - LeaseRules.of(leaseSettings).behindMillis(row))
            .filter((row) -> !mark().equals(row.owner()))
            .map((row) -> row.worker() + ": " + row.shownOwner())
            .collect(Collectors.joining(", "));
        if (!holders.isEmpty()) {
            throw new WorkerLeaseException(
                    ("Could not replace namespace '%s' by '%s': processes still hold leases there "
                            + "(%s); stop them all first")
                        .formatted(this.from, this.to, holders),
                    true, STOP_THE_OLD_ONES, null);
        }
    }

    /**
     * The larger of now and the end of what was leased, if ids from there on are larger
     * than all before.
     */
    private long first(IdLayout before, long end, IdLayout after, long databaseMillis) {
        long now = after.tickAtEpochNanos(databaseMillis * 1_000_000);
        long afterEnd = after.tickAt(before.instantAt(Math.min(end, before.lastTick()))) + 1;
        long first = Math.max(now, afterEnd);
        long largestBefore = before.lastIdAt(before.instantAt(Math.min(end, before.lastTick())));
        long smallestAfter = after.firstIdAt(after.instantAt(first));
        if (smallestAfter <= largestBefore) {
            throw refused(
                    ("ids of the new layout would not be larger than those there are: smallest new id=%s, "
                            + "largest old id=%s")
                        .formatted(smallestAfter, largestBefore),
                    "choose an earlier epoch or wider fields below the time");
        }
        return first;
    }

    private void take(LeaseStore old, LeaseReply.Rows rows, int worker) {
        LeaseRow row = rows.row(worker).orElse(null);
        String token = UUID.randomUUID().toString();
        LeaseStatement statement = (row != null)
                ? new LeaseStatement.Update(worker, row.token(), row.hwmTick(), token, 0, FOREVER, row.hwmTick(),
                        mark(), row.layout(), null)
                : new LeaseStatement.Insert(new LeaseRow(worker, token, 0, FOREVER, 0, mark(), null), null);
        if (!new LeaseReply.Written(1).equals(old.execute(statement))) {
            throw new WorkerLeaseException(
                    ("Could not replace namespace '%s' by '%s': worker id %s was changed meanwhile; "
                            + "stop all of its processes and start again")
                        .formatted(this.from, this.to, worker),
                    true, STOP_THE_OLD_ONES, null);
        }
    }

    private LeaseReply.Rows rows(LeaseStore old) {
        LeaseReply reply = old.execute(new LeaseStatement.ReadAll());
        if (reply instanceof LeaseReply.Rows rows) {
            return rows;
        }
        throw new WorkerLeaseException(
                "Could not replace namespace '%s' by '%s': the store of the leases did not answer".formatted(this.from,
                        this.to),
                (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null);
    }

    private String mark() {
        return "replaced by namespace '" + this.to + "'";
    }

    private ShardedIdConfigurationException refused(String why, @Nullable String remedy) {
        return new ShardedIdConfigurationException(
                "Could not replace namespace '%s' by '%s': %s".formatted(this.from, this.to, why), remedy,
                "shardedid.worker.lease.replaces-namespace");
    }

    /** Reads the layout back out of a fingerprint. */
    static IdLayout layout(String fingerprint) {
        IdLayoutBuilder builder = IdLayout.builder();
        List<IdField> order = new ArrayList<>();
        try {
            for (String part : fingerprint.split(",")) {
                String name = part.substring(0, part.indexOf('='));
                String value = part.substring(part.indexOf('=') + 1);
                switch (name) {
                    case "epoch" -> builder.epoch(Instant.parse(value));
                    case "tick" -> builder.tick(Duration.parse(value));
                    case "time" -> builder.timeBits(Integer.parseInt(value));
                    case "shard" -> builder.shardBits(Integer.parseInt(value));
                    case "worker" -> builder.workerBits(Integer.parseInt(value));
                    case "sequence" -> builder.sequenceBits(Integer.parseInt(value));
                    default -> {
                        // the number of shards and their function are no part of the
                        // layout
                    }
                }
                if (name.equals("shard") || name.equals("worker") || name.equals("sequence")) {
                    order.add(IdField.valueOf(name.toUpperCase(Locale.ROOT)));
                }
            }
            return builder.order(order.toArray(IdField[]::new)).build();
        }
        catch (RuntimeException ex) {
            throw new ShardedIdConfigurationException(
                    new Problem("Could not read a layout: fingerprint='%s' (a later version may have made the row)"
                        .formatted(fingerprint), "take the version that made it"),
                    ex);
        }
    }

}
