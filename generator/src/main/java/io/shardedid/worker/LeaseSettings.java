package io.shardedid.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.MessageText;
import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * How a process leases its worker id, checked and complete, and what all processes keep
 * to whatever their settings are. {@link #builder()} makes the settings. Immutable and
 * thread-safe.
 *
 * @param namespace whose rows of the store are used; processes that write the same tables
 * share it
 * @param window how long a lease lasts without renewal, 1 second to 1 hour
 * @param renewEvery how often the lease is renewed, before jitter
 * @param startupTimeout how long a start may wait for a free worker id, longer than the
 * window
 * @param workerId the one worker id to claim, or empty for any
 * @param workerIds the worker ids of the lease table, or null for all
 * @param firstUse whether to acquire when the first id is asked for instead of at start
 * @param awaitTable whether a start waits for a lease table that is missing
 * @param tolerateLostCommits whether to stay safe on a database that may lose
 * acknowledged commits
 * @param promotedClockBehind how far the clock of a promoted server may be behind, 0 to 1
 * hour
 * @param maxSkew which difference of the wall clocks refuses the start
 * @param owner application, host and process, as text
 * @since 0.1
 */
public record LeaseSettings(String namespace, Duration window, Duration renewEvery, Duration startupTimeout,
        OptionalInt workerId, @Nullable WorkerIdRange workerIds, boolean firstUse, boolean awaitTable,
        boolean tolerateLostCommits, Duration promotedClockBehind, Duration maxSkew, String owner) {

    /** The namespace unless another one is set. */
    public static final String DEFAULT_NAMESPACE = "default";

    /** How long a lease lasts without renewal unless another window is set. */
    public static final Duration DEFAULT_WINDOW = Duration.ofSeconds(30);

    /** How long a start waits for a free worker id unless another bound is set. */
    public static final Duration DEFAULT_STARTUP_TIMEOUT = Duration.ofSeconds(90);

    /**
     * How far the clock of a promoted server may be behind unless another bound is set: a
     * clock that is wrong by more than that is warned of at each start.
     */
    public static final Duration DEFAULT_PROMOTED_CLOCK_BEHIND = Duration.ofSeconds(10);

    /**
     * The difference of the wall clocks at which a start fails unless another one is set.
     */
    public static final Duration DEFAULT_MAX_SKEW = Duration.ofHours(1);

    private static final int LONGEST_OWNER = 255;

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

    /**
     * Checks what can be checked without an engine. {@link #builder()} knows the
     * defaults.
     * @param namespace 1 to 64 characters without control characters and quotes
     * @param window 1 second to 1 hour
     * @param renewEvery shorter than the window
     * @param startupTimeout longer than the window
     * @param workerId the one worker id, or empty
     * @param workerIds those of the lease table, or null
     * @param firstUse whether the first id acquires
     * @param awaitTable whether to wait for the table
     * @param tolerateLostCommits whether commits may be lost
     * @param promotedClockBehind 0 to 1 hour
     * @param maxSkew not negative
     * @param owner at most 255 characters
     * @throws ShardedIdConfigurationException if a setting is outside its range
     */
    public LeaseSettings {
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

    /**
     * Returns a builder of settings, which holds the defaults.
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
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
        WorkerIdRange range = this.workerIds;
        if (range != null) {
            int last = workers(terms.layout()) - 1;
            require(range.last() <= last, List.of("shardedid.worker.lease.worker-ids"),
                    "worker-ids must be in [0, %s] (worker-bits=%s; %s is reserved for ids made by the database): "
                            + "shardedid.worker.lease.worker-ids=%s",
                    last, bits, last + 1, range);
            require(this.workerId.isEmpty() || range.contains(this.workerId.getAsInt()),
                    List.of("shardedid.worker.id", "shardedid.worker.lease.worker-ids"),
                    "worker must be one of those of the lease table: shardedid.worker.id=%s, "
                            + "shardedid.worker.lease.worker-ids=%s",
                    this.workerId.isPresent() ? this.workerId.getAsInt() : "", range);
        }
    }

    /** Which worker ids this process may lease. */
    WorkerIdRange considered(IdLayout layout) {
        return this.workerId.isPresent() ? new WorkerIdRange(this.workerId.getAsInt(), this.workerId.getAsInt())
                : available(layout);
    }

    /** Which worker ids the processes of this lease table may lease. */
    WorkerIdRange available(IdLayout layout) {
        return (this.workerIds != null) ? this.workerIds : new WorkerIdRange(0, workers(layout) - 1);
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
        return end(rows, rows.rows().stream().mapToLong(LeaseRow::hwmTick).max().orElseThrow(), layout, promise);
    }

    /**
     * The same for some of its rows.
     * @param highest the highest mark of those
     */
    long end(LeaseReply.Rows rows, long highest, IdLayout layout, StorePromise promise) {
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

    /**
     * Three renewals fit a window together with their jitter: a window of 30 seconds is
     * renewed every 8.
     */
    private static Duration defaultRenewEvery(Duration window) {
        return window.dividedBy(15).multipliedBy(4).truncatedTo(ChronoUnit.MILLIS);
    }

    private static String owner(String application) {
        String process = "%s, pid %s".formatted(hostName(), ProcessHandle.current().pid());
        return application.isEmpty() ? process : application + " on " + process;
    }

    /** The environment first: a look-up may ask a name server that is not there. */
    static String hostName() {
        String name = System.getenv("HOSTNAME");
        if (name != null && !name.isBlank()) {
            return name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        }
        catch (UnknownHostException ex) {
            return "unknown host";
        }
    }

    /**
     * Collects the settings of a lease. Not thread-safe.
     *
     * @since 0.1
     */
    public static final class Builder {

        private String namespace = DEFAULT_NAMESPACE;

        private Duration window = DEFAULT_WINDOW;

        private @Nullable Duration renewEvery;

        private Duration startupTimeout = DEFAULT_STARTUP_TIMEOUT;

        private OptionalInt workerId = OptionalInt.empty();

        private @Nullable WorkerIdRange workerIds;

        private boolean firstUse;

        private boolean awaitTable;

        private boolean tolerateLostCommits;

        private Duration promotedClockBehind = DEFAULT_PROMOTED_CLOCK_BEHIND;

        private Duration maxSkew = DEFAULT_MAX_SKEW;

        private @Nullable String owner;

        private Builder() {
        }

        /**
         * Sets the namespace: whose rows of the store are used. Processes that write the
         * same tables share a namespace.
         * @param namespace 1 to 64 characters without control characters and quotes;
         * {@link #DEFAULT_NAMESPACE} when not called
         * @return this builder
         */
        public Builder namespace(String namespace) {
            this.namespace = Objects.requireNonNull(namespace, "namespace");
            return this;
        }

        /**
         * Sets how long a lease lasts without renewal. The worker id of a killed process
         * stays taken for that long. With the default window and without
         * {@link #tolerateLostCommits}, a process makes ids for at least 19 seconds after
         * the database went away.
         * @param window 1 second to 1 hour; {@link #DEFAULT_WINDOW} when not called
         * @return this builder
         */
        public Builder window(Duration window) {
            this.window = Objects.requireNonNull(window, "window");
            return this;
        }

        /** For tests: how often the lease is renewed, before 20 % of jitter. */
        Builder renewEvery(Duration renewEvery) {
            this.renewEvery = renewEvery;
            return this;
        }

        /**
         * Sets how long a start may wait for a free worker id.
         * @param startupTimeout longer than the window; {@link #DEFAULT_STARTUP_TIMEOUT}
         * when not called
         * @return this builder
         */
        public Builder startupTimeout(Duration startupTimeout) {
            this.startupTimeout = Objects.requireNonNull(startupTimeout, "startupTimeout");
            return this;
        }

        /**
         * Sets the one worker id to claim. A start waits while another process holds it.
         * @param workerId 0 to 2<sup>worker bits</sup> - 2; any worker id is claimed when
         * not called
         * @return this builder
         */
        public Builder workerId(int workerId) {
            this.workerId = OptionalInt.of(workerId);
            return this;
        }

        /**
         * Sets which worker ids belong to the lease table, where rows of two lease tables
         * meet. The inspector hands worker ids from one table over to another one.
         * @param workerIds those that processes of this lease table may lease; all when
         * not called
         * @return this builder
         */
        public Builder workerIds(WorkerIdRange workerIds) {
            this.workerIds = Objects.requireNonNull(workerIds, "workerIds");
            return this;
        }

        /**
         * Sets whether to acquire the lease when the first id is asked for instead of at
         * start.
         * @param firstUse false when not called
         * @return this builder
         */
        public Builder firstUse(boolean firstUse) {
            this.firstUse = firstUse;
            return this;
        }

        /**
         * Sets whether a start waits for a lease table that is missing, for as long as
         * {@link #startupTimeout} says, because a migration that runs at the same time
         * makes it.
         * @param awaitTable false when not called, so that such a start fails at once
         * @return this builder
         * @since 0.1
         */
        public Builder awaitTable(boolean awaitTable) {
            this.awaitTable = awaitTable;
            return this;
        }

        /**
         * Sets whether to stay safe on a database that may lose acknowledged commits in a
         * failover.
         * @param tolerateLostCommits false when not called
         * @return this builder
         */
        public Builder tolerateLostCommits(boolean tolerateLostCommits) {
            this.tolerateLostCommits = tolerateLostCommits;
            return this;
        }

        /**
         * Sets how far the clock of a server that is promoted may be behind the clock of
         * the server before. It counts only with {@link #tolerateLostCommits}.
         * @param promotedClockBehind 0 to 1 hour; {@link #DEFAULT_PROMOTED_CLOCK_BEHIND}
         * when not called
         * @return this builder
         */
        public Builder promotedClockBehind(Duration promotedClockBehind) {
            this.promotedClockBehind = Objects.requireNonNull(promotedClockBehind, "promotedClockBehind");
            return this;
        }

        /**
         * Sets how far the wall clocks of this machine and of the database may differ at
         * start. With more than that the start fails; with more than 10 seconds it logs a
         * warning.
         * @param maxSkew not negative; {@link #DEFAULT_MAX_SKEW} when not called
         * @return this builder
         */
        public Builder maxSkew(Duration maxSkew) {
            this.maxSkew = Objects.requireNonNull(maxSkew, "maxSkew");
            return this;
        }

        /**
         * Sets the name of the application. The column {@code owner} shows it, followed
         * by host and process; nothing depends on it.
         * @param application a name such as {@code orders}; may be empty, as it is when
         * not called
         * @return this builder
         */
        public Builder application(String application) {
            return owner(LeaseSettings.owner(application));
        }

        /** The whole text of the column, cut to what it holds. */
        Builder owner(String owner) {
            this.owner = owner;
            return this;
        }

        /**
         * Returns the settings.
         * @return new settings
         * @throws ShardedIdConfigurationException if a setting is outside its range
         */
        public LeaseSettings build() {
            String named = (this.owner != null) ? this.owner : LeaseSettings.owner("");
            return new LeaseSettings(this.namespace, this.window,
                    (this.renewEvery != null) ? this.renewEvery : defaultRenewEvery(this.window), this.startupTimeout,
                    this.workerId, this.workerIds, this.firstUse, this.awaitTable, this.tolerateLostCommits,
                    this.promotedClockBehind, this.maxSkew,
                    (named.length() > LONGEST_OWNER) ? named.substring(0, LONGEST_OWNER) : named);
        }

    }

}
