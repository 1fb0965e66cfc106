package io.shardedid;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntToLongFunction;

/**
 * What must hold for ids that many threads make at once: no two are equal, and those of
 * one shard increase in the order in which calls return.
 */
final class IdRace {

    private final int shards;

    private final AtomicLongArray returned;

    private final LongAdder outOfOrder = new LongAdder();

    private final IdLayout layout;

    IdRace(IdLayout layout, int shards) {
        this.layout = layout;
        this.shards = shards;
        this.returned = new AtomicLongArray(shards);
    }

    /**
     * Runs the race.
     * @return what is wrong, or an empty text
     */
    String faults(Crowd crowd, int ids, IntToLongFunction next) throws Exception {
        int each = ids / crowd.size();
        IssuedIds issued = new IssuedIds(crowd.size(), each);
        crowd.run((thread) -> {
            for (int i = 0; i < each; i++) {
                int shard = (int) ((thread * 31L + i * 7L) % this.shards);
                long before = this.returned.get(shard);
                long id = next.applyAsLong(shard);
                if (id <= before || this.layout.shardOf(id) != shard) {
                    this.outOfOrder.increment();
                }
                if (id > before) {
                    this.returned.accumulateAndGet(shard, id, Math::max);
                }
                issued.put(thread, i, id);
            }
        });
        long[] duplicates = issued.duplicates();
        return (duplicates.length > 0 ? "duplicates, the first: " + duplicates[0] + "; " : "")
                + (this.outOfOrder.sum() > 0 ? "out of order: " + this.outOfOrder.sum() : "");
    }

}
