package io.shardedid.sample.laboratory;

import java.util.function.LongFunction;

/**
 * A way to get ids, in the order in which a storm tries them.
 */
enum IdKind {

    SHARDED("ShardedId", "8 bytes, made here, in batches", "storm_sharded", ShardedRow.class, ShardedRow::new),

    IDENTITY("IDENTITY", "8 bytes, made by the database, one by one", "storm_identity", IdentityRow.class,
            IdentityRow::new),

    UUID("UUIDv4", "16 random bytes, made here, in batches", "storm_uuid", RandomRow.class, RandomRow::new);

    private final String title;

    private final String trait;

    private final String table;

    private final Class<? extends StormRow> type;

    private final LongFunction<StormRow> row;

    IdKind(String title, String trait, String table, Class<? extends StormRow> type, LongFunction<StormRow> row) {
        this.title = title;
        this.trait = trait;
        this.table = table;
        this.type = type;
        this.row = row;
    }

    String title() {
        return this.title;
    }

    String trait() {
        return this.trait;
    }

    String table() {
        return this.table;
    }

    Class<? extends StormRow> type() {
        return this.type;
    }

    StormRow row(long author) {
        return this.row.apply(author);
    }

}
