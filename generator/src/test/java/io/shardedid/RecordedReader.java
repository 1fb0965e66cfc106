package io.shardedid;

import java.time.Clock;
import java.util.List;

/** Writes down what it is asked. */
public final class RecordedReader extends IdReader {

    private final List<String> asked;

    public RecordedReader(IdReader reader, List<String> asked) {
        super(reader.terms(), reader.shardFunction(), reader::firstTick, Clock.systemUTC());
        this.asked = asked;
    }

    @Override
    public int shardOfKey(Object key) {
        this.asked.add("shardOfKey");
        return super.shardOfKey(key);
    }

    @Override
    public int shardOf(long id) {
        this.asked.add("shardOf");
        return super.shardOf(id);
    }

    @Override
    public boolean isOlder(long id) {
        this.asked.add("older");
        return super.isOlder(id);
    }

}
