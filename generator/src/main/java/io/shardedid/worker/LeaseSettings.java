package io.shardedid.worker;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.OptionalInt;

import io.shardedid.EngineTerms;
import io.shardedid.ShardedIdConfigurationException;

/**
 * How a process leases its worker id.
 *
 * @param namespace whose rows of the table; processes that write the same tables share it
 * @param window how long a lease lasts without renewal: the outage of the database that
 * goes unnoticed, and how long the worker id of a killed process stays taken. 3 renewals
 * to 1 hour
 * @param renewEvery how often the lease is renewed, before 20 % of jitter
 * @param startupTimeout how long a start may wait for a free worker id; longer than the
 * window
 * @param workerId the one worker id to claim, or empty for any
 * @param preferred the worker id to claim if it is free, where {@code workerId} is empty
 * @param firstUse whether to acquire when the first id is asked for instead of at start
 * @param tolerateLostCommits whether to stay safe on a database that may lose
 * acknowledged commits in a failover
 * @param promotedClockBehind how far the clock of a server that is promoted may be behind
 * the clock of the one before; it counts where {@code tolerateLostCommits} is set. 0 to 1
 * hour
 * @param warnSkew how far the wall clock may differ from the database's at start before a
 * warning
 * @param refuseSkew how far before the start is refused
 * @param owner application, host and process, for people
 */
public record LeaseSettings(String namespace, Duration window, Duration renewEvery, Duration startupTimeout,
        OptionalInt workerId, WorkerPreference preferred, boolean firstUse, boolean tolerateLostCommits,
        Duration promotedClockBehind, Duration warnSkew, Duration refuseSkew, String owner) {

    /**
     * What {@code promotedClockBehind} is where nobody sets it: a clock that is wrong by
     * more than that is warned of at each start.
     */
    public static final Duration DEFAULT_PROMOTED_CLOCK_BEHIND = Duration.ofSeconds(10);

    private static final Duration SHORTEST_WINDOW = Duration.ofSeconds(1);

    private static final Duration DEFAULT_WINDOW = Duration.ofSeconds(30);

    /** The settings of the configuration keys' defaults. */
    public static final LeaseSettings DEFAULTS = new LeaseSettings("default", DEFAULT_WINDOW,
            defaultRenewEvery(DEFAULT_WINDOW), Duration.ofSeconds(90), OptionalInt.empty(), WorkerPreference.NONE,
            false, false, DEFAULT_PROMOTED_CLOCK_BEHIND, Duration.ofSeconds(10), Duration.ofHours(1), "");

    private static final int LONGEST_OWNER = 255;

    private static final String QUOTES = "'\"`";

    /**
     * Checks what can be checked without an engine, and cuts the owner to what its column
     * holds.
     * @param namespace whose rows of the table; processes that write the same tables
     * share it
     * @param window how long a lease lasts without renewal: the outage of the database
     * that goes unnoticed, and how long the worker id of a killed process stays taken. 3
     * renewals, and 1 second, to 1 hour
     * @param renewEvery how often the lease is renewed, before 20 % of jitter
     * @param startupTimeout how long a start may wait for a free worker id; longer than
     * the window
     * @param workerId the one worker id to claim, or empty for any
     * @param preferred the worker id to claim if it is free, where {@code workerId} is
     * empty
     * @param firstUse whether to acquire when the first id is asked for instead of at
     * start
     * @param tolerateLostCommits whether to stay safe on a database that may lose
     * acknowledged commits in a failover
     * @param promotedClockBehind how far the clock of a server that is promoted may be
     * behind the clock of the one before; it counts where {@code tolerateLostCommits} is
     * set. 0 to 1 hour
     * @param warnSkew how far the wall clock may differ from the database's at start
     * before a warning
     * @param refuseSkew how far before the start is refused
     * @param owner application, host and process, for people
     * @throws ShardedIdConfigurationException if a setting is outside its range
     */
    public LeaseSettings {
        require(!namespace.isBlank() && namespace.strip().equals(namespace) && namespace.length() <= 64
                && namespace.chars().noneMatch((c) -> Character.isISOControl(c) || QUOTES.indexOf(c) >= 0),
                "namespace must have 1 to 64 characters without control characters and quotes: "
                        + "shardedid.worker.lease.namespace='%s'",
                printable(namespace));
        require(window.compareTo(SHORTEST_WINDOW) >= 0,
                "window must be at least %s, half a second of which is left unused: shardedid.worker.lease.window=%s",
                SHORTEST_WINDOW, window);
        require(renewEvery.compareTo(Duration.ofMillis(100)) >= 0,
                "renew-every must be at least PT0.1S: shardedid.worker.lease.renew-every=%s", renewEvery);
        require(window.compareTo(renewEvery.multipliedBy(3)) >= 0 && window.compareTo(Duration.ofHours(1)) <= 0,
                "window must be in [3 renewals, PT1H]: shardedid.worker.lease.window=%s, "
                        + "shardedid.worker.lease.renew-every=%s",
                window, renewEvery);
        require(startupTimeout.compareTo(window) > 0,
                "startup-timeout must be longer than the window, after which the worker id of a killed process is free: "
                        + "shardedid.worker.lease.startup-timeout=%s, shardedid.worker.lease.window=%s",
                startupTimeout, window);
        require(!promotedClockBehind.isNegative() && promotedClockBehind.compareTo(Duration.ofHours(1)) <= 0,
                "promoted-clock-behind must be in [PT0S, PT1H]: shardedid.worker.lease.promoted-clock-behind=%s",
                promotedClockBehind);
        require(!tolerateLostCommits || startupTimeout.compareTo(window.plus(promotedClockBehind)) > 0,
                "startup-timeout must be longer than window and promoted-clock-behind together, after which the worker "
                        + "id of a killed process is free: shardedid.worker.lease.startup-timeout=%s, "
                        + "shardedid.worker.lease.window=%s, shardedid.worker.lease.promoted-clock-behind=%s",
                startupTimeout, window, promotedClockBehind);
        require(warnSkew.compareTo(refuseSkew) <= 0 && !warnSkew.isNegative(),
                "warn-skew must be in [PT0S, refuse-skew]: shardedid.clock.warn-skew=%s, shardedid.clock.refuse-skew=%s",
                warnSkew, refuseSkew);
        require(workerId.isEmpty() || preferred.equals(WorkerPreference.NONE),
                "one of two must be set, 'shardedid.worker.id' for exactly this one or 'shardedid.worker.prefer' for one "
                        + "that may be another: shardedid.worker.id=%s, shardedid.worker.prefer='%s'",
                workerId.orElse(-1), preferred);
        owner = (owner.length() > LONGEST_OWNER) ? owner.substring(0, LONGEST_OWNER) : owner;
    }

    /**
     * Settings of a process that prefers no worker id.
     * @param namespace whose rows of the table
     * @param window how long a lease lasts without renewal
     * @param renewEvery how often the lease is renewed
     * @param startupTimeout how long a start may wait for a free worker id
     * @param workerId the one worker id to claim, or empty for any
     * @param firstUse whether to acquire when the first id is asked for
     * @param tolerateLostCommits whether the database may lose acknowledged commits
     * @param warnSkew which difference of the wall clocks is logged
     * @param refuseSkew which difference refuses the start
     * @param owner application, host and process, for people
     * @throws ShardedIdConfigurationException if a setting is outside its range
     */
    public LeaseSettings(String namespace, Duration window, Duration renewEvery, Duration startupTimeout,
            OptionalInt workerId, boolean firstUse, boolean tolerateLostCommits, Duration warnSkew, Duration refuseSkew,
            String owner) {
        this(namespace, window, renewEvery, startupTimeout, workerId, WorkerPreference.NONE, firstUse,
                tolerateLostCommits, DEFAULT_PROMOTED_CLOCK_BEHIND, warnSkew, refuseSkew, owner);
    }

    /**
     * Settings whose promoted clock is as far behind as the default says.
     * @param namespace whose rows of the table
     * @param window how long a lease lasts without renewal
     * @param renewEvery how often the lease is renewed
     * @param startupTimeout how long a start may wait for a free worker id
     * @param workerId the one worker id to claim, or empty for any
     * @param preferred the worker id to claim if it is free
     * @param firstUse whether to acquire when the first id is asked for
     * @param tolerateLostCommits whether the database may lose acknowledged commits
     * @param warnSkew which difference of the wall clocks is logged
     * @param refuseSkew which difference refuses the start
     * @param owner application, host and process, for people
     * @throws ShardedIdConfigurationException if a setting is outside its range
     */
    public LeaseSettings(String namespace, Duration window, Duration renewEvery, Duration startupTimeout,
            OptionalInt workerId, WorkerPreference preferred, boolean firstUse, boolean tolerateLostCommits,
            Duration warnSkew, Duration refuseSkew, String owner) {
        this(namespace, window, renewEvery, startupTimeout, workerId, preferred, firstUse, tolerateLostCommits,
                DEFAULT_PROMOTED_CLOCK_BEHIND, warnSkew, refuseSkew, owner);
    }

    /**
     * Returns these settings with a preference.
     * @param preference the worker id to claim if it is free
     * @return new settings
     * @throws ShardedIdConfigurationException if {@code workerId} names the only one
     */
    public LeaseSettings preferring(WorkerPreference preference) {
        return new LeaseSettings(this.namespace, this.window, this.renewEvery, this.startupTimeout, this.workerId,
                preference, this.firstUse, this.tolerateLostCommits, this.promotedClockBehind, this.warnSkew,
                this.refuseSkew, this.owner);
    }

    /**
     * Returns these settings with another bound on the clock of a promoted server.
     * @param behind how far that clock may be behind the clock of the server before, 0 to
     * 1 hour
     * @return new settings
     * @throws ShardedIdConfigurationException if it is outside its range
     */
    public LeaseSettings withPromotedClockBehind(Duration behind) {
        return new LeaseSettings(this.namespace, this.window, this.renewEvery, this.startupTimeout, this.workerId,
                this.preferred, this.firstUse, this.tolerateLostCommits, behind, this.warnSkew, this.refuseSkew,
                this.owner);
    }

    /**
     * Returns how often a lease is renewed unless somebody sets it: 4/15 of the window,
     * so that three renewals fit a window together with their jitter.
     * @param window how long a lease lasts without renewal
     * @return whole milliseconds, 8 seconds for a window of 30
     * @since 0.1
     */
    public static Duration defaultRenewEvery(Duration window) {
        return window.dividedBy(15).multipliedBy(4).truncatedTo(ChronoUnit.MILLIS);
    }

    /** Checks what depends on the engine. */
    void check(EngineTerms terms) {
        require(terms.maxAhead().compareTo(this.window) < 0,
                "max-ahead must be shorter than the window: shardedid.clock.max-ahead=%s, "
                        + "shardedid.worker.lease.window=%s",
                terms.maxAhead(), this.window);
        int bits = terms.layout().workerBits();
        require(bits >= 1, "a lease needs a layout with worker bits: worker-bits=%d; use 'shardedid.worker.mode=fixed' "
                + "with one writer, or a layout with worker bits", bits);
        int workers = workers(terms);
        this.workerId.ifPresent((id) -> require(id >= 0 && id < workers,
                "worker must be in [0, %d] (worker-bits=%d; %d is reserved for ids made by the database): "
                        + "shardedid.worker.id=%d",
                workers - 1, bits, workers, id));
        // a host that names no worker id is refused here, before the database is asked
        this.preferred.among(workers);
        checkRange(terms);
    }

    /**
     * A layout whose time has passed makes no id ever again. The clock of the machine may
     * be ahead by what the start would refuse.
     */
    private void checkRange(EngineTerms terms) {
        if (terms.layout().tickAtEpochNanos(terms.time().epochNanos() - this.refuseSkew.toNanos()) > terms.layout()
            .lastTick()) {
            throw LeaseRefusal.rangeSpent(terms);
        }
    }

    /**
     * How many worker ids processes may lease: the last one is reserved for ids that the
     * database makes itself.
     */
    static int workers(EngineTerms terms) {
        return (1 << terms.layout().workerBits()) - 1;
    }

    /** So that no message carries a line break, or worse, into a log. */
    private static String printable(String text) {
        StringBuilder printable = new StringBuilder();
        text.chars()
            .forEach((c) -> printable
                .append(Character.isISOControl(c) ? "\\u%04x".formatted(c) : String.valueOf((char) c)));
        return printable.toString();
    }

    private static void require(boolean rule, String form, Object... values) {
        if (!rule) {
            throw new ShardedIdConfigurationException(form.formatted(values));
        }
    }

}
