package io.shardedid.database;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.shardedid.IdField;
import io.shardedid.IdLayout;

import org.jspecify.annotations.Nullable;

/**
 * What scripts say about a layout, by the names that they have for it.
 *
 * @param schema where the functions are, empty for the first of the search path
 * @param layout the layout
 * @param shards the number of logical shards
 * @param modulo whether numbers go by modulo, else by the hash
 * @param maxAhead how far ids may run ahead of the clock
 * @param maxWait how long an insert may wait
 * @param firstTick the tick of the first sharded id, 0 if not known
 * @param lineDeclared whether a setting says that older ids are plain numbers
 * @param worker the worker id of the ids that the database makes
 * @param onlyShard the shard of a schema that is one, null if it makes ids of all
 */
record LayoutValues(String schema, IdLayout layout, int shards, boolean modulo, Duration maxAhead, Duration maxWait,
        long firstTick, boolean lineDeclared, int worker, @Nullable Integer onlyShard) {

    /** Names a lock of sessions: the first letters of this project. */
    private static final long LOCK = 0x7368617264656469L;

    /** How long the function sleeps at a time while it waits. */
    private static final Duration NAP = Duration.ofMillis(2);

    private static final DateTimeFormatter UTC = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
        .withZone(ZoneOffset.UTC);

    Map<String, String> asMap() {
        IdLayout of = this.layout;
        Map<String, String> values = new TreeMap<>();
        values.put("fingerprint", of.fingerprint());
        values.put("epoch", of.epoch().toString());
        values.put("epochText", UTC.format(of.epoch()));
        values.put("epochMicros", String.valueOf(Duration.between(Instant.EPOCH, of.epoch()).toNanos() / 1000));
        values.put("tickMicros", String.valueOf(of.tick().toNanos() / 1000));
        values.put("timeShift", String.valueOf(of.shardBits() + of.workerBits() + of.sequenceBits()));
        values.put("firstTick", String.valueOf(this.firstTick));
        values.put("firstCell", String.valueOf(this.firstTick << of.sequenceBits()));
        values.put("lineDeclared", String.valueOf(this.lineDeclared));
        values.put("lastTick", String.valueOf(of.lastTick()));
        values.put("lastId", String.valueOf(of.lastId()));
        values.put("shards", String.valueOf(this.shards));
        Integer only = this.onlyShard;
        values.put("lastInstant", of.lastUsableInstant().toString());
        values.put("firstShard", String.valueOf((only != null) ? only : 0));
        values.put("lastShard", String.valueOf((only != null) ? only : this.shards - 1));
        values.put("shardShift", String.valueOf(of.shiftOf(IdField.SHARD)));
        values.put("shardMask", mask(of.shardBits()));
        values.put("sequenceShift", String.valueOf(of.shiftOf(IdField.SEQUENCE)));
        values.put("sequenceMask", mask(of.sequenceBits()));
        values.put("sequenceBits", String.valueOf(of.sequenceBits()));
        values.put("worker", String.valueOf(this.worker));
        values.put("workerBits", String.valueOf(of.compose(0, 0, this.worker, 0)));
        long ticksAhead = this.maxAhead.dividedBy(of.tick());
        values.put("maxAhead", String.valueOf(ticksAhead));
        values.put("cellsAhead", String.valueOf(ticksAhead + 1 << of.sequenceBits()));
        long ticksOfWait = this.maxWait.plus(of.tick()).minusNanos(1).dividedBy(of.tick());
        values.put("cellsTooFar", String.valueOf(ticksAhead + ticksOfWait + 1 << of.sequenceBits()));
        values.put("secondsAhead", String.valueOf(this.maxAhead.plus(of.tick()).toSeconds() + 1));
        values.put("maxWait", this.maxWait.toMillis() + " milliseconds");
        values.put("maxNaps", String.valueOf(this.maxWait.dividedBy(NAP)));
        values.put("lock", String.valueOf((only != null) ? LOCK + 1 + only : LOCK));
        return values;
    }

    /** Returns what names begin with. */
    String prefix() {
        return this.schema.isEmpty() ? "" : this.schema + ".";
    }

    private static String mask(int bits) {
        return String.valueOf((1L << bits) - 1);
    }

}
