package io.shardedid.benchmarks;

import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.hypersistence.utils.hibernate.id.Tsid;
import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.TableGenerator;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.agrona.concurrent.SnowflakeIdGenerator;
import org.bson.types.ObjectId;
import org.hibernate.annotations.UuidGenerator;

/**
 * The entities: equal but for their ids.
 */
final class Rows {

    private Rows() {
    }

    /** The columns of all. */
    @MappedSuperclass
    abstract static class Row {

        long userId;

        long parentId;

        Instant createdAt;

        String caption;

    }

    @Entity(name = "assigned_row")
    static class Assigned extends Row {

        private static final AtomicLong LAST = new AtomicLong();

        @Id
        Long id = LAST.incrementAndGet();

    }

    @Entity(name = "minimal_row")
    static class Minimal extends Row {

        @Id
        @MinimalId
        Long id;

    }

    @Entity(name = "keyed_row")
    static class Keyed extends Row {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

    }

    @Entity(name = "colocated_row")
    static class Colocated extends Row {

        @Id
        @ShardedId(colocateWith = "parentId")
        Long id;

    }

    @Entity(name = "keyless_row")
    static class Keyless extends Row {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "one_shard_row")
    static class OneShard extends Row {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

    }

    @Entity(name = "dense_row")
    static class Dense extends Row {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

    }

    @Entity(name = "sequence_row")
    static class Sequence extends Row {

        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "of_fifty")
        @SequenceGenerator(name = "of_fifty", sequenceName = "of_fifty", allocationSize = 50)
        Long id;

    }

    @Entity(name = "indexed_row")
    @Table(indexes = @Index(columnList = "createdAt"))
    static class Indexed extends Row {

        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "of_fifty_indexed")
        @SequenceGenerator(name = "of_fifty_indexed", sequenceName = "of_fifty_indexed", allocationSize = 50)
        Long id;

    }

    @Entity(name = "identity_row")
    static class Identity extends Row {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

    }

    @Entity(name = "table_row")
    static class TableGenerated extends Row {

        @Id
        @GeneratedValue(strategy = GenerationType.TABLE, generator = "of_table")
        @TableGenerator(name = "of_table", allocationSize = 50)
        Long id;

    }

    @Entity(name = "ticketed_row")
    static class Ticketed extends Row {

        @Id
        @TicketId
        Long id;

    }

    @Entity(name = "tsid_row")
    static class TsidRow extends Row {

        @Id
        @Tsid
        Long id;

    }

    @Entity(name = "cosid_row")
    static class CosIdRow extends Row {

        private static final MillisecondSnowflakeId IDS = new MillisecondSnowflakeId(1);

        @Id
        Long id = IDS.generate();

    }

    @Entity(name = "agrona_row")
    static class AgronaRow extends Row {

        private static final SnowflakeIdGenerator IDS = new SnowflakeIdGenerator(1);

        @Id
        Long id = IDS.nextId();

    }

    @Entity(name = "uuid4_row")
    static class Uuid4 extends Row {

        @Id
        @UuidGenerator(style = UuidGenerator.Style.RANDOM)
        UUID id;

    }

    @Entity(name = "uuid7_row")
    static class Uuid7 extends Row {

        @Id
        @UuidGenerator(style = UuidGenerator.Style.VERSION_7)
        UUID id;

    }

    @Entity(name = "sharded_uuid_row")
    static class ShardedUuid extends Row {

        @Id
        @ShardedId(shardKey = "userId")
        UUID id;

    }

    @Entity(name = "object_id_row")
    static class ObjectIdRow extends Row {

        @Id
        @Column(length = 24)
        String id = ObjectId.get().toHexString();

    }

    /** Its shard is its parent's. */
    @Entity(name = "child_row")
    static class Child {

        @Id
        @ShardedId(shardKey = "parent")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Keyed parent;

    }

}
