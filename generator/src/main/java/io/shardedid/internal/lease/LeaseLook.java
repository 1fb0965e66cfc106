package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The look whether the application reads the lease where the keeper has written it. Each
 * lease uses the same connections, so it is made once, after the first lease. Callers may
 * hold all connections of the application, so it has a thread of its own, for which a
 * start waits a little. Thread-safe.
 */
final class LeaseLook {

    private static final System.Logger LOG = System.getLogger(LeaseLook.class.getName());

    private static final long START_NANOS = Duration.ofSeconds(5).toNanos();

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(200).toNanos();

    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

    private final Thread thread;

    /** Whether the application sees the lease; false if it could not look now. */
    private final BooleanSupplier sees;

    private final Runnable suspend;

    /** Used by the lease thread. */
    private boolean begun;

    private final CountDownLatch over = new CountDownLatch(1);

    private volatile @Nullable ShardedIdConfigurationException refusal;

    private volatile boolean opened;

    private volatile boolean closed;

    LeaseLook(String namespace, BooleanSupplier sees, Runnable suspend) {
        this.thread = new Thread(this::look, "shardedid-lease-look-" + namespace);
        this.thread.setDaemon(true);
        this.sees = sees;
        this.suspend = suspend;
    }

    /**
     * Begins, unless that was done before.
     * @throws ShardedIdConfigurationException if the application reads another lease
     */
    void begin() {
        refuse();
        if (!this.begun) {
            this.thread.start();
            this.begun = true;
        }
    }

    /** The reason why there are no ids, or null. */
    @Nullable ShardedIdConfigurationException refusal() {
        return this.refusal;
    }

    void refuse() {
        ShardedIdConfigurationException refused = this.refusal;
        if (refused != null) {
            throw refused;
        }
    }

    /**
     * Lets ids begin. From here on the lease ends if the application reads another one.
     * @param waits whether to wait for the look, since no id was made yet
     */
    void open(boolean waits) {
        try {
            if (waits) {
                this.over.await(START_NANOS, TimeUnit.NANOSECONDS);
            }
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        this.opened = true;
        refuse();
    }

    void close() {
        this.closed = true;
    }

    private void look() {
        long pause = FIRST_PAUSE_NANOS;
        try {
            while (!this.closed && !sees()) {
                TimeSource.system().park(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
        }
        catch (ShardedIdConfigurationException ex) {
            this.refusal = ex;
            if (this.opened && !this.closed) {
                LOG.log(System.Logger.Level.ERROR, "No more ids: {0}", ex.getMessage());
                this.suspend.run();
            }
        }
        finally {
            this.over.countDown();
        }
    }

    /** Whatever else it throws, such as that no thread can be made, may pass. */
    private boolean sees() {
        try {
            return this.sees.getAsBoolean();
        }
        catch (ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (RuntimeException | Error ex) {
            return false;
        }
    }

}
