package io.shardedid.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.shardedid.IdLayout;
import jakarta.persistence.Entity;

/**
 * The kinds of row that are inserted: the same columns, and each its own way to an id.
 */
enum RowKind {

    ASSIGNED("assigned, from a counter", Rows.Assigned::new),

    MINIMAL("a minimal generator, 2,000 shards", Rows.Minimal::new),

    KEYED("`@ShardedId(shardKey)`, 2,000 shards", Rows.Keyed::new),

    COLOCATED("`@ShardedId(colocateWith)`", Rows.Colocated::new),

    KEYLESS("`@ShardedId`, keyless, 8 bits of sequence", Rows.Keyless::new),

    ONE_SHARD("`@ShardedId(shardKey)`, one shard, 8 bits of sequence", Rows.OneShard::new),

    DENSE("`@ShardedId(shardKey)`, 2,000 shards, layout `dense`", Rows.Dense::new),

    SEQUENCE("sequence of 50", Rows.Sequence::new),

    INDEXED("sequence of 50, and an index on the time of creation", Rows.Indexed::new),

    IDENTITY("IDENTITY", Rows.Identity::new),

    TABLE("table generator of 50", Rows.TableGenerated::new),

    TICKETS("two ticket databases, odd and even", Rows.Ticketed::new),

    TSID("hypersistence `@Tsid`", Rows.TsidRow::new),

    COSID("assigned, from CosId snowflake", Rows.CosIdRow::new),

    AGRONA("assigned, from Agrona", Rows.AgronaRow::new),

    UUID4("UUID version 4", Rows.Uuid4::new),

    UUID7("UUID version 7", Rows.Uuid7::new),

    SHARDED_UUID("`@ShardedId(shardKey)` on a UUID, 2,000 shards", Rows.ShardedUuid::new),

    OBJECT_ID("ObjectId of bson, as 24 hex digits", Rows.ObjectIdRow::new);

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

    /** The layout of its ids, if it has one. */
    IdLayout layout() {
        return engine().layout();
    }

    /**
     * The engine behind it. Two need more than 32 ids a millisecond and shard.
     */
    EngineKind engine() {
        return switch (this) {
            case KEYLESS -> EngineKind.LONG_SEQUENCE;
            case ONE_SHARD -> EngineKind.ONE_SHARD;
            case DENSE -> EngineKind.DENSE;
            default -> EngineKind.STANDARD;
        };
    }

    static List<RowKind> of(EngineKind engine) {
        return Arrays.stream(values()).filter((kind) -> kind.engine() == engine).toList();
    }

}
