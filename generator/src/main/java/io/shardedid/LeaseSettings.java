package io.shardedid;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

import io.shardedid.internal.MessageText;
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
                MessageText.shown(namespace));
        require(window.compareTo(Duration.ofSeconds(1)) >= 0 && window.compareTo(Duration.ofHours(1)) <= 0,
                List.of("shardedid.worker.lease.window"),
                "window must be in [1s, 1h], half a second of which is left unused: shardedid.worker.lease.window=%s",
                MessageText.duration(window));
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

    /** The environment first: a lookup may ask a name server that is not there. */
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

        private String owner = LeaseSettings.owner("");

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

        /**
         * Sets how often the lease is renewed.
         * @param renewEvery shorter than the window; 4/15 of it when not called
         * @return this builder
         */
        public Builder renewEvery(Duration renewEvery) {
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
         * meet. The command {@code change} of the inspector moves worker ids from one
         * table to another one.
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

        /**
         * Sets the text by which others see who has a worker id.
         * @param owner host, process or both; at most 255 characters are kept
         * @return this builder
         */
        public Builder owner(String owner) {
            this.owner = Objects.requireNonNull(owner, "owner");
            return this;
        }

        /**
         * Returns the settings.
         * @return new settings
         * @throws ShardedIdConfigurationException if a setting is outside its range
         */
        public LeaseSettings build() {
            return new LeaseSettings(this.namespace, this.window,
                    (this.renewEvery != null) ? this.renewEvery : defaultRenewEvery(this.window), this.startupTimeout,
                    this.workerId, this.workerIds, this.firstUse, this.awaitTable, this.tolerateLostCommits,
                    this.promotedClockBehind, this.maxSkew,
                    this.owner.substring(0, Math.min(LONGEST_OWNER, this.owner.length())));
        }

    }

}
