package io.shardedid.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.OptionalInt;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * How a process leases its worker id. {@link #builder()} makes the settings. Immutable
 * and thread-safe.
 *
 * @since 0.1
 */
public final class LeaseSettings {

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

    private final LeaseTerms terms;

    private final boolean awaitTable;

    private LeaseSettings(Builder builder) {
        String owner = (builder.owner != null) ? builder.owner : owner("");
        this.terms = new LeaseTerms(builder.namespace, builder.window,
                (builder.renewEvery != null) ? builder.renewEvery : defaultRenewEvery(builder.window),
                builder.startupTimeout, builder.workerId, builder.firstUse, builder.tolerateLostCommits,
                builder.promotedClockBehind, builder.maxSkew,
                (owner.length() > LONGEST_OWNER) ? owner.substring(0, LONGEST_OWNER) : owner);
        this.awaitTable = builder.awaitTable;
    }

    /**
     * Returns a builder of settings, which holds the defaults.
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    LeaseTerms terms() {
        return this.terms;
    }

    /**
     * Returns the namespace.
     * @return whose rows of the store are used; processes that write the same tables
     * share it
     */
    public String namespace() {
        return this.terms.namespace();
    }

    /**
     * Returns whether a start waits for a lease table that is missing.
     * @return false unless it was set
     * @since 0.1
     */
    public boolean awaitTable() {
        return this.awaitTable;
    }

    /**
     * Returns whether to stay safe on a database that may lose acknowledged commits.
     * @return false unless it was set
     */
    public boolean tolerateLostCommits() {
        return this.terms.tolerateLostCommits();
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
            return new LeaseSettings(this);
        }

    }

}
