package io.shardedid.spring.boot;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;

/**
 * What became of the lease of this process, as metrics and health show it. The lease
 * thread writes it, and many threads read it.
 *
 * @since 0.1
 */
public final class LeaseMonitor implements WorkerLeaseListener {

    private final LongAdder renewals = new LongAdder();

    private final LongAdder failures = new LongAdder();

    private final LongAdder losses = new LongAdder();

    private final LongAdder violations = new LongAdder();

    private volatile @Nullable String violation;

    private volatile @Nullable WorkerLease lease;

    private volatile @Nullable String trouble;

    private volatile Duration skew = Duration.ZERO;

    private boolean skewSeen;

    /** Creates a monitor that has heard of no lease. */
    public LeaseMonitor() {
    }

    @Override
    public void leased(WorkerLease lease) {
        confirmed(lease);
    }

    @Override
    public void renewed(WorkerLease lease) {
        this.renewals.increment();
        confirmed(lease);
    }

    private void confirmed(WorkerLease lease) {
        this.lease = lease;
        this.trouble = null;
        // each reply of the database that shows a skew is reported before its renewal
        this.skew = this.skewSeen ? this.skew : Duration.ZERO;
        this.skewSeen = false;
    }

    @Override
    public void renewalFailed(Exception cause) {
        this.failures.increment();
        this.trouble = cause.toString();
    }

    @Override
    public void lost(int worker, String why) {
        this.losses.increment();
        this.lease = null;
        this.trouble = why;
    }

    @Override
    public void skewed(Duration databaseAhead) {
        this.skewSeen = true;
        this.skew = databaseAhead;
    }

    @Override
    public void released(int worker) {
        this.lease = null;
    }

    @Override
    public void abandoned(int worker, String why) {
        this.lease = null;
    }

    @Override
    public void violated(int worker, Instant from, Instant end, String why) {
        this.violation = "ids with a time between %s and %s under worker id %s may exist twice: %s".formatted(from, end,
                worker, why);
        this.violations.increment();
    }

    /**
     * Returns how often a lease was extended.
     * @return a count that only grows
     */
    public long renewals() {
        return this.renewals.sum();
    }

    /**
     * Returns how often the database did not confirm an acquire or a renewal.
     * @return a count that only grows
     */
    public long failures() {
        return this.failures.sum();
    }

    /**
     * Returns how often the lease was found to belong to another process.
     * @return a count that only grows
     */
    public long losses() {
        return this.losses.sum();
    }

    /**
     * Returns how often another process could use a part of this process's lease before
     * it had expired, so that duplicate ids are possible.
     * @return a count that only grows
     */
    public long violations() {
        return this.violations.sum();
    }

    /**
     * Returns which ids may be duplicates. This does not heal by itself: an operator has
     * to look for the rows.
     * @return the latest interval and worker in words, or empty if there was none
     */
    public Optional<String> violation() {
        return Optional.ofNullable(this.violation);
    }

    /**
     * Returns the lease as it was last confirmed.
     * @return the lease, or empty while none is held
     */
    public Optional<WorkerLease> lease() {
        return Optional.ofNullable(this.lease);
    }

    /**
     * Returns why the latest attempt to acquire or renew did not succeed.
     * @return the reason, or empty if it did
     */
    public Optional<String> trouble() {
        return Optional.ofNullable(this.trouble);
    }

    /**
     * Returns how far the clock of the database is ahead of the one that ids go by, if it
     * is too far.
     * @return zero unless the latest reply showed a skew; negative if behind
     */
    public Duration skew() {
        return this.skew;
    }

}
