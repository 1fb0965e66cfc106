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
        return this.engine.instant();
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
