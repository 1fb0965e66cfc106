package io.shardedid;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One user's hold on an {@link Engine} that others of this JVM may use too. Each is
 * closed by its opener, and the last that closes gives the worker back. Thread-safe.
 */
final class EngineHandle implements ShardedIdEngine {

    private final EngineRegistry registry;

    private final EngineRegistry.Entry entry;

    private final Engine engine;

    private final NumberMaker numbers;

    /** What this user brought along; it feeds the engine of the first user. */
    private final LeaseSource source;

    private final IdReader reader;

    /** Waits for nothing. */
    private final IdReader readerAtOnce;

    private final Clock clock;

    private final Uuids uuids = new Uuids(true);

    private final AtomicBoolean suspended = new AtomicBoolean();

    private final AtomicBoolean left = new AtomicBoolean();

    private volatile boolean closed;

    EngineHandle(EngineRegistry registry, EngineRegistry.Entry entry, Engine engine, LeaseSource source,
            ShardFunction shardFunction) {
        this.registry = registry;
        this.entry = entry;
        this.engine = engine;
        this.numbers = engine.numbers();
        this.source = source;
        InstantSource instants = engine::instant;
        this.clock = instants.withZone(ZoneOffset.UTC);
        EngineTerms terms = engine.terms();
        this.reader = new IdReader(terms, shardFunction, () -> entry.firstTick(terms.maxWait()), this.clock);
        this.readerAtOnce = new IdReader(terms, shardFunction, () -> entry.firstTick(Duration.ZERO), this.clock);
    }

    @Override
    public long next(int shard) {
        return numbers().next(shard);
    }

    @Override
    public void next(int shard, long[] into) {
        numbers().next(shard, into);
    }

    @Override
    public long next() {
        return numbers().nextKeyless();
    }

    @Override
    public ShardedUuids uuids() {
        return this.uuids;
    }

    @Override
    public ShardedIds withoutWaiting() {
        return new AtOnce();
    }

    @Override
    public IdReader reader() {
        return this.reader;
    }

    @Override
    public Clock clock() {
        return this.clock;
    }

    @Override
    public LeaseSource leaseSource() {
        return open().source();
    }

    @Override
    public EngineStats stats() {
        return open().stats();
    }

    @Override
    public void suspend() {
        if (this.suspended.compareAndSet(false, true)) {
            // the wish of a user that is closed is taken back by its close, or here
            if (!this.closed || !this.suspended.compareAndSet(true, false)) {
                this.entry.suspend(this.engine);
            }
        }
    }

    @Override
    public void resume() {
        if (this.suspended.compareAndSet(true, false)) {
            this.entry.resume(this.engine);
        }
    }

    @Override
    public void close() {
        this.closed = true;
        if (this.left.compareAndSet(false, true)) {
            this.registry.unlist(this);
            if (this.suspended.compareAndSet(true, false)) {
                this.entry.forgetSuspension();
            }
            this.registry.leave(this.entry);
            // last: who leaves as the last one hears that the lease was given back
            if (this.registry.handles().stream().noneMatch(this::hasSameSource)) {
                this.engine.source().leave(this.source);
            }
        }
    }

    private boolean hasSameSource(ShardedIdEngine other) {
        return other instanceof EngineHandle handle && handle.source == this.source;
    }

    /** The engine, also after this was closed. */
    Engine engine() {
        return this.engine;
    }

    private Engine open() {
        if (this.closed) {
            throw IdWaits.closed("Could not make or look up an id: this ShardedIds was closed");
        }
        return this.engine;
    }

    /** Without the way over the engine, since each id comes here. */
    private NumberMaker numbers() {
        return this.closed ? open().numbers() : this.numbers;
    }

    /** The UUIDs of the engine, as long as this is open. */
    private final class Uuids implements ShardedUuids {

        private final boolean parks;

        private Uuids(boolean parks) {
            this.parks = parks;
        }

        @Override
        public UUID next(int shard) {
            return open().uuids().next(shard, this.parks);
        }

        @Override
        public UUID nextFor(Object shardKey) {
            return next(shardOfKey(shardKey));
        }

        @Override
        public UUID next() {
            return open().uuids().nextKeyless(this.parks);
        }

        @Override
        public int shardOf(UUID id) {
            return EngineHandle.this.reader.shardOf(id);
        }

    }

    /** The ids of the engine, as long as this is open, for threads that must not park. */
    private final class AtOnce implements ShardedIds {

        private final Uuids uuids = new Uuids(false);

        @Override
        public long next(int shard) {
            return numbers().next(shard, false);
        }

        @Override
        public void next(int shard, long[] into) {
            numbers().next(shard, into, false);
        }

        @Override
        public long next() {
            return numbers().nextKeyless(false);
        }

        @Override
        public ShardedUuids uuids() {
            return this.uuids;
        }

        @Override
        public IdReader reader() {
            return EngineHandle.this.readerAtOnce;
        }

        @Override
        public Clock clock() {
            return EngineHandle.this.clock;
        }

        /** Leaves the engine to its opener. */
        @Override
        public void close() {
        }

    }

}
