package io.shardedid.benchmarks;

import java.util.function.Supplier;

import jakarta.persistence.Entity;

/**
 * The kinds of row that are inserted: the same columns, and each its own way to an id.
 */
enum RowKind {

    ASSIGNED("assigned, from a counter", Rows.Assigned::new),

    KEYED("`@ShardedId(shardKey)`, 2,000 shards", Rows.Keyed::new),

    COLOCATED("`@ShardedId(colocateWith)`", Rows.Colocated::new),

    KEYLESS("`@ShardedId`, keyless, layout `wide`", Rows.Keyless::new),

    ONE_SHARD("`@ShardedId(shardKey)`, one shard, layout `wide`", Rows.OneShard::new),

    SEQUENCE("sequence of 50", Rows.Sequence::new),

    IDENTITY("IDENTITY", Rows.Identity::new),

    TABLE("table generator of 50", Rows.TableGenerated::new),

    TSID("hypersistence `@Tsid`", Rows.TsidRow::new),

    UUID4("UUID version 4", Rows.Uuid4::new),

    UUID7("UUID version 7", Rows.Uuid7::new);

    private final String title;

    private final Supplier<Rows.Row> rows;

    RowKind(String title, Supplier<Rows.Row> rows) {
        this.title = title;
        this.rows = rows;
    }

    String title() {
        return this.title;
    }

    Rows.Row row() {
        return this.rows.get();
    }

    Class<?> entity() {
        return this.rows.get().getClass();
    }

    String table() {
        return entity().getAnnotation(Entity.class).name();
    }

    /** Two need more than 32 ids a millisecond and shard. */
    boolean wide() {
        return this == KEYLESS || this == ONE_SHARD;
    }

}
