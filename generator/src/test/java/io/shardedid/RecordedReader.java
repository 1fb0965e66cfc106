package io.shardedid;

import java.time.Clock;
import java.util.List;

/** Writes down what it is asked. */
public final class RecordedReader extends IdReader {

    private final List<String> asked;

    public RecordedReader(IdReader reader, List<String> asked) {
        super(reader.terms(), reader.shardFunction(), reader.legacyBefore().orElse(null), reader.firstTick(), false,
                Clock.systemUTC());
        this.asked = asked;
    }

    @Override
    public int shardFor(Object key) {
        this.asked.add("shardFor");
        return super.shardFor(key);
    }

    @Override
    public int shardHome(long id) {
        this.asked.add("shardHome");
        return super.shardHome(id);
    }

    @Override
    public boolean legacy(long id) {
        this.asked.add("legacy");
        return super.legacy(id);
    }

}
