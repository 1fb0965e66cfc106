package io.shardedid;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/**
 * The clock that ids carry.
 */
final class EngineClock extends Clock {

    private final Engine engine;

    private final ZoneId zone;

    EngineClock(Engine engine, ZoneId zone) {
        this.engine = engine;
        this.zone = zone;
    }

    @Override
    public Instant instant() {
        long nanos = this.engine.epochNanos();
        return Instant.ofEpochSecond(Math.floorDiv(nanos, 1_000_000_000), Math.floorMod(nanos, 1_000_000_000));
    }

    @Override
    public ZoneId getZone() {
        return this.zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new EngineClock(this.engine, other);
    }

}
