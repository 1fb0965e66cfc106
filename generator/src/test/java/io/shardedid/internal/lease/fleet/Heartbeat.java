package io.shardedid.internal.lease.fleet;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long this process as a whole stood still: stopped by a signal, or without
 * a processor. Thread-safe.
 */
final class Heartbeat {

    private static final long BEAT_NANOS = Duration.ofMillis(5).toNanos();

    private volatile long stalledNanos;

    private volatile long beatNanos = System.nanoTime();

    static Heartbeat start() {
        Heartbeat heart = new Heartbeat();
        Thread thread = new Thread(heart::beat, "heartbeat");
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
        return heart;
    }

    private void beat() {
        while (true) {
            LockSupport.parkNanos(BEAT_NANOS);
            long now = System.nanoTime();
            this.stalledNanos += Math.max(0, now - this.beatNanos - 2 * BEAT_NANOS);
            this.beatNanos = now;
        }
    }

    /** How long it stood still so far, the present standstill included. */
    long stalledNanos() {
        return this.stalledNanos + Math.max(0, System.nanoTime() - this.beatNanos - 2 * BEAT_NANOS);
    }

}
