package io.shardedid;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.Supplier;

/**
 * The clock that ids carry.
 */
final class EngineClock extends Clock {

    private final Supplier<Engine> engine;

    private final ZoneId zone;

    EngineClock(Supplier<Engine> engine, ZoneId zone) {
        this.engine = engine;
        this.zone = zone;
    }

    @Override
    public Instant instant() {
        return this.engine.get().instant();
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
