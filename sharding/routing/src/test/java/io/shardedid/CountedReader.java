package io.shardedid;

import java.time.Clock;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often the shard of an id is read. */
public final class CountedReader extends IdReader {

    private final AtomicInteger count;

    public CountedReader(IdReader reader, AtomicInteger count) {
        super(reader.terms(), reader.shardFunction(), reader::firstTick, Clock.systemUTC());
        this.count = count;
    }

    @Override
    public int shardOf(long id) {
        this.count.incrementAndGet();
        return super.shardOf(id);
    }

}
