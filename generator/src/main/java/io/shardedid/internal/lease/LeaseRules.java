package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.IdRangeExhaustedException;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.internal.MessageText;

/**
 * What the settings of a lease mean for a layout and for the rows of a store.
 *
 * @param settings what was set
 */
record LeaseRules(LeaseSettings settings) {

    /** How old the clock in a statement may be on a database that may lose commits. */
    static final long LATEST_MILLIS = 1000;

    /**
     * How far ahead of the database's clock anybody holds ticks on a database that may
     * lose commits, in milliseconds. It is the same for all, whatever their windows: a
     * row that says otherwise may be lost with the failover.
     */
    static final long REACH_MILLIS = 10_000;

    /**
     * How long ago a write was made that a failover may forget. A layout row that is
     * older is there after any failover.
     */
    static final Duration FORGOTTEN = Duration.ofMinutes(1);

    /** How long a lease lasts at most without renewal. */
    static final Duration LONGEST_WINDOW = Duration.ofHours(1);

    static LeaseRules of(LeaseSettings settings) {
        return new LeaseRules(settings);
    }

    /** Checks what depends on the engine, but for the end of its layout. */
    void check(EngineTerms terms) {
        require(terms.maxAhead().compareTo(this.settings.window()) < 0,
                List.of("shardedid.clock.max-ahead", "shardedid.worker.lease.window"),
                "max-ahead must be shorter than the window: shardedid.clock.max-ahead=%s, "
                        + "shardedid.worker.lease.window=%s",
                MessageText.duration(terms.maxAhead()), MessageText.duration(this.settings.window()));
        int bits = terms.layout().workerBits();
        if (bits < 1) {
            throw new ShardedIdConfigurationException(
                    "a lease needs a layout with worker bits: worker-bits=%s".formatted(bits),
                    "use 'shardedid.worker.mode=fixed' with one writer, or a layout with worker bits",
                    "shardedid.layout.worker-bits");
        }
        this.settings.workerId().ifPresent((id) -> checkWorker(terms.layout(), id));
        WorkerIdRange range = this.settings.workerIds();
        if (range != null) {
            int last = workers(terms.layout()) - 1;
            require(range.last() <= last, List.of("shardedid.worker.lease.worker-ids"),
                    "worker-ids must be in [0, %s] (worker-bits=%s; %s is reserved for ids made by the database): "
                            + "shardedid.worker.lease.worker-ids=%s",
                    last, bits, last + 1, range);
            require(this.settings.workerId().isEmpty() || range.contains(this.settings.workerId().getAsInt()),
                    List.of("shardedid.worker.id", "shardedid.worker.lease.worker-ids"),
                    "worker must be one of those of the lease table: shardedid.worker.id=%s, "
                            + "shardedid.worker.lease.worker-ids=%s",
                    this.settings.workerId().isPresent() ? this.settings.workerId().getAsInt() : "", range);
        }
    }

    /** Which worker ids this process may lease. */
    WorkerIdRange considered(IdLayout layout) {
        return this.settings.workerId().isPresent()
                ? new WorkerIdRange(this.settings.workerId().getAsInt(), this.settings.workerId().getAsInt())
                : available(layout);
    }

    /** Which worker ids the processes of this lease table may lease. */
    WorkerIdRange available(IdLayout layout) {
        return (this.settings.workerIds() != null) ? this.settings.workerIds()
                : new WorkerIdRange(0, workers(layout) - 1);
    }

    /** A lease is only as good as what the store keeps of it. */
    void checkDurability(LeaseStore store) {
        boolean tolerant = this.settings.tolerateLostCommits();
        if (store.durability() == (tolerant ? Durability.KEPT : Durability.MAY_BE_LOST)) {
            throw new ShardedIdConfigurationException(
                    "Could not use the store of the leases: store=%s, shardedid.worker.lease.tolerate-lost-commits=%s (%s)"
                        .formatted(store.describe(), tolerant, tolerant
                                ? "this store cannot compare its own clock within a write, on which that mode rests"
                                : "this store may lose writes that it has acknowledged, and the plain mode "
                                        + "would make duplicate ids then"),
                    tolerant ? "remove 'shardedid.worker.lease.tolerate-lost-commits', or take another store"
                            : "set 'shardedid.worker.lease.tolerate-lost-commits=true'",
                    "shardedid.worker.lease.tolerate-lost-commits");
        }
    }

    /**
     * A layout whose time has passed makes no id ever again. The clock of the machine may
     * be ahead by what the start would refuse.
     */
    void checkRange(EngineTerms terms) {
        IdLayout layout = terms.layout();
        if (layout.tickAtEpochNanos(terms.time().epochNanos() - this.settings.maxSkew().toNanos()) > layout
            .lastTick()) {
            throw new IdRangeExhaustedException(layout);
        }
    }

    /** Ids that were leased before the line would be plain numbers from now on. */
    static void checkLine(EngineTerms terms, long firstLease) {
        Instant line = terms.olderIdsBefore();
        if (line != null && terms.layout().tickAt(line) > firstLease) {
            throw new ShardedIdConfigurationException(
                    ("older-ids-before must not be after the first lease: shardedid.older-ids-before=%s, first lease=%s "
                            + "(ids made in between would count as older)")
                        .formatted(line, terms.layout().instantAt(firstLease)),
                    "set it to the time of the first lease or earlier", "shardedid.older-ids-before");
        }
    }

    /** Checks a worker id that a user chose, for a layout with worker bits. */
    static void checkWorker(IdLayout layout, int worker) {
        int workers = workers(layout);
        require(worker >= 0 && worker < workers, List.of("shardedid.worker.id"),
                "worker must be in [0, %s] (worker-bits=%s; %s is reserved for ids made by the database): "
                        + "shardedid.worker.id=%s",
                workers - 1, layout.workerBits(), workers, worker);
    }

    /**
     * How many worker ids processes may lease: the last one is reserved for ids that the
     * database makes itself.
     */
    static int workers(IdLayout layout) {
        return (1 << layout.workerBits()) - 1;
    }

    /** Returns the times of the lease in the units of the protocol. */
    LeaseTiming timing(IdLayout layout) {
        return new LeaseTiming(layout, this.settings.window().toMillis(), renewNanos());
    }

    /** How often to renew: no tick may run out while the database answers. */
    private long renewNanos() {
        long asked = this.settings.renewEvery().toNanos();
        return this.settings.tolerateLostCommits() ? Math.min(asked, REACH_MILLIS * 1_000_000 * 4 / 15) : asked;
    }

    /** How far the clock of a promoted server may be behind; 0 where none is expected. */
    long behindMillis() {
        return this.settings.tolerateLostCommits() ? this.settings.promotedClockBehind().toMillis() : 0;
    }

    /**
     * How long after the last lease of a table the ticks have passed that any process may
     * hold whose lease a failover has forgotten: all hold ticks up to their reach, by the
     * clock of their server, which may have been ahead of this one, and the rows were
     * read at most LATEST_MILLIS before one is changed.
     */
    Duration untilForgotten() {
        return this.settings.promotedClockBehind().plusMillis(REACH_MILLIS + LATEST_MILLIS);
    }

    private static void require(boolean rule, List<String> keys, String form, Object... values) {
        if (!rule) {
            throw new ShardedIdConfigurationException(form.formatted(values), null, keys.toArray(String[]::new));
        }
    }

}
