package io.shardedid;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * What every cell keeps to, checked by two threads that claim in one until it is spent,
 * or until a third poisons it.
 */
final class CellRules {

    static final int SEQUENCE_BITS = 3;

    private static final long TICK = 1 << SEQUENCE_BITS;

    private static final long FIRST = 1000 * TICK;

    private static final int VALUES = 20_000;

    private static final int ROUNDS = 30;

    private final Supplier<Cell> fresh;

    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    CellRules(Supplier<Cell> fresh) {
        this.fresh = fresh;
    }

    /**
     * Looks for faults until there is one.
     * @return the rules that were broken
     */
    Set<String> broken() throws Exception {
        for (int round = 0; round < ROUNDS && this.broken.isEmpty(); round++) {
            spend(this.fresh.get());
            for (int i = 0; i < 10; i++) {
                poison(this.fresh.get());
            }
        }
        return this.broken;
    }

    /** Claims all that there is, against a clock that goes forward and back. */
    private void spend(Cell cell) throws Exception {
        long limit = FIRST + VALUES;
        AtomicLong returned = new AtomicLong();
        AtomicIntegerArray given = new AtomicIntegerArray(VALUES);
        Crowd.platform(2).run((thread) -> {
            for (int i = 0; i < VALUES; i++) {
                long floor = FIRST + (i % 7 == 6 ? i / 50 : i / 40) * TICK;
                long before = returned.get();
                long value = cell.claim(floor, floor + thread, limit);
                if (value == ShardCells.NO_CLAIM) {
                    return;
                }
                require(value > before, "increases");
                require(value >= floor, "does not fall below the floor");
                require(value < limit, "stays below the limit");
                if (value >= FIRST && value < limit) {
                    require(given.incrementAndGet((int) (value - FIRST)) == 1, "gives each value once");
                }
                returned.accumulateAndGet(value, Math::max);
            }
        });
        require(returned.get() >= limit - 1, "carries on up to the limit");
    }

    /** Claims until the poison comes, which waits for the first claim. */
    private void poison(Cell cell) throws Exception {
        AtomicLong highest = new AtomicLong();
        AtomicLong returned = new AtomicLong();
        AtomicBoolean poisoned = new AtomicBoolean();
        Crowd.platform(2).run((thread) -> {
            if (thread == 1) {
                while (returned.get() == 0) {
                    Thread.onSpinWait();
                }
                highest.set(cell.poison());
                poisoned.set(true);
                return;
            }
            long value = 0;
            for (int i = 0; i < 100_000_000 && value != ShardCells.NO_CLAIM; i++) {
                boolean after = poisoned.get();
                value = cell.claim(FIRST, FIRST, 1L << ShardCells.MAX_BITS);
                require(!after || value == ShardCells.NO_CLAIM, "claims nothing after the poison");
                if (after) {
                    return;
                }
                returned.lazySet(Math.max(value, returned.get()));
            }
        });
        require(cell.claim(FIRST + TICK, FIRST + TICK, 1L << ShardCells.MAX_BITS) == ShardCells.NO_CLAIM,
                "claims nothing after the poison");
        require(returned.get() <= highest.get(), "tells the highest claim when it is poisoned");
    }

    private void require(boolean rule, String text) {
        if (!rule) {
            this.broken.add(text);
        }
    }

    /** One shard's cell. */
    interface Cell {

        long claim(long floor, long start, long limit);

        long poison();

    }

}
