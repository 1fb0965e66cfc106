package io.shardedid.worker;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.MessageText;
import io.shardedid.ShardedIdConfigurationException;

/**
 * What the protocol goes by: the settings of a lease, checked and complete, and what all
 * processes keep to whatever their settings are.
 *
 * @param namespace whose rows of the store are used
 * @param window how long a lease lasts without renewal
 * @param renewEvery how often the lease is renewed, before jitter
 * @param startupTimeout how long a start may wait for a free worker id
 * @param workerId the one worker id to claim, or empty for any
 * @param firstUse whether to acquire when the first id is asked for instead of at start
 * @param tolerateLostCommits whether to stay safe on a database that may lose
 * acknowledged commits
 * @param promotedClockBehind how far the clock of a promoted server may be behind
 * @param maxSkew which difference of the wall clocks refuses the start
 * @param owner application, host and process, as text
 */
record LeaseTerms(String namespace, Duration window, Duration renewEvery, Duration startupTimeout, OptionalInt workerId,
        boolean firstUse, boolean tolerateLostCommits, Duration promotedClockBehind, Duration maxSkew, String owner) {

    /** How old the clock in a statement may be on a database that may lose commits. */
    static final long LATEST_MILLIS = 1000;

    /**
     * How far ahead of the database's clock anybody holds ticks on a database that may
     * lose commits, in milliseconds. It is the same for all, whatever their windows: a
     * row that says otherwise may be lost with the failover.
     */
    static final long REACH_MILLIS = 10_000;

    /** How much older than its last renewal a row may be that a failover brought back. */
    private static final Duration FORGOTTEN_RENEWALS = Duration.ofMinutes(1);

    private static final Duration SHORTEST_WINDOW = Duration.ofSeconds(1);

    private static final String QUOTES = "'\"`";

    /** Checks what can be checked without an engine. */
    LeaseTerms {
        require(!namespace.isBlank() && namespace.strip().equals(namespace) && namespace.length() <= 64
                && namespace.chars().noneMatch((c) -> Character.isISOControl(c) || QUOTES.indexOf(c) >= 0),
                List.of("shardedid.worker.lease.namespace"),
                "namespace must have 1 to 64 characters without control characters and quotes: "
                        + "shardedid.worker.lease.namespace='%s'",
                printable(namespace));
        require(window.compareTo(SHORTEST_WINDOW) >= 0, List.of("shardedid.worker.lease.window"),
                "window must be at least %s, half a second of which is left unused: shardedid.worker.lease.window=%s",
                MessageText.duration(SHORTEST_WINDOW), MessageText.duration(window));
        require(window.compareTo(Duration.ofHours(1)) <= 0, List.of("shardedid.worker.lease.window"),
                "window must be at most 1h: shardedid.worker.lease.window=%s", MessageText.duration(window));
        require(startupTimeout.compareTo(window) > 0,
                List.of("shardedid.worker.lease.startup-timeout", "shardedid.worker.lease.window"),
                "startup-timeout must be longer than the window, after which the worker id of a killed process is free: "
                        + "shardedid.worker.lease.startup-timeout=%s, shardedid.worker.lease.window=%s",
                MessageText.duration(startupTimeout), MessageText.duration(window));
        require(!promotedClockBehind.isNegative() && promotedClockBehind.compareTo(Duration.ofHours(1)) <= 0,
                List.of("shardedid.worker.lease.promoted-clock-behind"),
                "promoted-clock-behind must be in [0s, 1h]: shardedid.worker.lease.promoted-clock-behind=%s",
                MessageText.duration(promotedClockBehind));
        require(!tolerateLostCommits || startupTimeout.compareTo(window.plus(promotedClockBehind)) > 0,
                List.of("shardedid.worker.lease.startup-timeout", "shardedid.worker.lease.window",
                        "shardedid.worker.lease.promoted-clock-behind"),
                "startup-timeout must be longer than window and promoted-clock-behind together, after which the worker "
                        + "id of a killed process is free: shardedid.worker.lease.startup-timeout=%s, "
                        + "shardedid.worker.lease.window=%s, shardedid.worker.lease.promoted-clock-behind=%s",
                MessageText.duration(startupTimeout), MessageText.duration(window),
                MessageText.duration(promotedClockBehind));
        require(!maxSkew.isNegative(), List.of("shardedid.clock.max-skew"),
                "max-skew must not be negative: shardedid.clock.max-skew=%s", MessageText.duration(maxSkew));
    }

    /** Checks what depends on the engine, but for the end of its layout. */
    void check(EngineTerms terms) {
        require(terms.maxAhead().compareTo(this.window) < 0,
                List.of("shardedid.clock.max-ahead", "shardedid.worker.lease.window"),
                "max-ahead must be shorter than the window: shardedid.clock.max-ahead=%s, "
                        + "shardedid.worker.lease.window=%s",
                MessageText.duration(terms.maxAhead()), MessageText.duration(this.window));
        int bits = terms.layout().workerBits();
        if (bits < 1) {
            throw new ShardedIdConfigurationException(
                    "a lease needs a layout with worker bits: worker-bits=%s".formatted(bits),
                    "use 'shardedid.worker.mode=fixed' with one writer, or a layout with worker bits",
                    "shardedid.layout.worker-bits");
        }
        this.workerId.ifPresent((id) -> checkWorker(terms.layout(), id));
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
        return LeaseTiming.of(layout, this.window, Duration.ofNanos(renewNanos()));
    }

    /** How often to renew: no tick may run out while the database answers. */
    private long renewNanos() {
        long asked = this.renewEvery.toNanos();
        return this.tolerateLostCommits ? Math.min(asked, REACH_MILLIS * 1_000_000 * 4 / 15) : asked;
    }

    /** How far the clock of a promoted server may be behind; 0 where none is expected. */
    long behindMillis() {
        return this.tolerateLostCommits ? this.promotedClockBehind.toMillis() : 0;
    }

    /** The same for one row, whose holder may have expected one. */
    long behindMillis(LeaseRow row) {
        return row.tolerant() ? this.promotedClockBehind.toMillis() : behindMillis();
    }

    /**
     * The first moment of the store's clock whose ticks nobody was ever granted, also by
     * a commit that a failover has lost: all who come before us hold ticks up to their
     * reach, by the clock of their server, which may have been ahead of this one.
     * @param rows what the store has kept, read at most LATEST_MILLIS before it is
     * changed
     */
    long aboveForgottenMillis(LeaseReply.Rows rows) {
        long reach = rows.rows().stream().mapToLong(LeaseRow::reachMillis).reduce(REACH_MILLIS, Math::max);
        return rows.databaseMillis() + reach + LATEST_MILLIS + this.promotedClockBehind.toMillis();
    }

    /**
     * The first tick that nobody was ever granted in a namespace that ends. A row says
     * whether its holder went by a store that may lose writes. Such a store may have
     * forgotten the last marks, whatever the settings of today say.
     * @param rows what the store has kept
     * @param layout the layout of the namespace
     * @param promise what the store promises
     */
    long end(LeaseReply.Rows rows, IdLayout layout, StorePromise promise) {
        long highest = rows.rows().stream().mapToLong(LeaseRow::hwmTick).max().orElseThrow();
        boolean forgets = this.tolerateLostCommits || promise == StorePromise.MAY_BE_LOST
                || rows.rows().stream().anyMatch(LeaseRow::tolerant);
        return forgets ? Math.max(highest, timing(layout).tick(aboveForgottenMillis(rows))) : highest;
    }

    /**
     * For how long after the end of its lease a process of the other mode is minded: a
     * failover may have lost renewals of a tolerant one.
     */
    Duration patienceWithOtherMode() {
        return this.tolerateLostCommits ? this.promotedClockBehind : FORGOTTEN_RENEWALS;
    }

    /** So that no message carries a line break, or worse, into a log. */
    private static String printable(String text) {
        StringBuilder printable = new StringBuilder();
        text.chars()
            .forEach((c) -> printable
                .append(Character.isISOControl(c) ? "\\u%04x".formatted(c) : String.valueOf((char) c)));
        return printable.toString();
    }

    private static void require(boolean rule, List<String> keys, String form, Object... values) {
        if (!rule) {
            throw new ShardedIdConfigurationException(form.formatted(values), null, keys.toArray(String[]::new));
        }
    }

}
