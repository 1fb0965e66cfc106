package io.shardedid.sample.laboratory;

import java.util.function.LongFunction;

/**
 * A way to come by ids, in the order in which a storm tries them.
 */
enum IdKind {

    SHARDED("ShardedId", "8 bytes, made here, in batches", "storm_sharded", ShardedRow::new),

    IDENTITY("IDENTITY", "8 bytes, made by the database, one by one", "storm_identity", IdentityRow::new),

    UUID("UUIDv4", "16 random bytes, made here, in batches", "storm_uuid", RandomRow::new);

    private final String title;

    private final String trait;

    private final String table;

    private final LongFunction<StormRow> row;

    IdKind(String title, String trait, String table, LongFunction<StormRow> row) {
        this.title = title;
        this.trait = trait;
        this.table = table;
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

    StormRow row(long author) {
        return this.row.apply(author);
    }

}
