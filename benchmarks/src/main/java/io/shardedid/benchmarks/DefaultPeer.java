package io.shardedid.benchmarks;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import cn.hutool.core.lang.Snowflake;
import com.baomidou.mybatisplus.core.toolkit.Sequence;
import com.github.f4b6a3.tsid.TsidFactory;
import com.github.f4b6a3.uuid.factory.standard.TimeOrderedEpochFactory;
import com.github.yitter.contract.IdGeneratorException;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.DefaultIdGenerator;
import io.hypersistence.tsid.TSID;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.agrona.concurrent.SnowflakeIdGenerator;

/**
 * The ways to make an id as they come, each at the ceiling of its default layout.
 */
enum DefaultPeer {

    ONE_SHARD("ShardedId standard, one shard", "32 a ms", () -> new ShardSource(engine(IdLayout.standard(), 1))),

    SHARDS("ShardedId standard, keys in 2,000 shards", "64,000 a ms", () -> spread(engine(IdLayout.standard(), 2000))),

    KEYLESS("ShardedId standard, no key, 2,000 shards", "64,000 a ms",
            () -> new KeylessSource(engine(IdLayout.standard(), 2000))),

    KEYLESS_256("ShardedId, keyless, 256 shards", "8,192 a ms",
            () -> new KeylessSource(engine(IdLayout.standard(), 256))),

    KEYLESS_16("ShardedId, keyless, 16 shards", "512 a ms", () -> new KeylessSource(engine(IdLayout.standard(), 16))),

    LONG_SEQUENCE("ShardedId, one shard, 8 bits of sequence", "256 a ms",
            () -> new ShardSource(engine(EngineKind.longSequence(), 1))),

    DENSE("ShardedId, layout 'dense'", "128 a ms", () -> new ShardSource(engine(IdLayout.dense(), 2000))),

    AGRONA("Agrona SnowflakeIdGenerator", "4,096 a ms", () -> new SnowflakeIdGenerator(1)::nextId),

    HYPERSISTENCE_TSID("hypersistence-tsid", "4,096 a ms, then ids of the future", DefaultPeer::hypersistenceTsid),

    TSID_CREATOR("tsid-creator", "4,096 a ms, then ids of the future", DefaultPeer::tsidCreator),

    COSID("CosId snowflake", "4,096 a ms", () -> new MillisecondSnowflakeId(1)::generate),

    COSID_SEGMENTS("CosId segment chain, segments from this process", "none",
            () -> new SegmentChainId(new IdSegmentDistributor.Atomic())::generate),

    MYBATIS_PLUS("MyBatis-Plus Sequence", "4,096 a ms", () -> new Sequence(1, 1)::nextId),

    HUTOOL("Hutool Snowflake", "4,096 a ms", () -> new Snowflake(1, 1)::nextId),

    YITTER("yitter", "59 a ms, then ids of the future", DefaultPeer::yitter),

    UUID_V7("uuid-creator version 7", "none", DefaultPeer::uuid7),

    UUID_V4("UUID.randomUUID", "none", () -> () -> UUID.randomUUID().getLeastSignificantBits());

    private final String title;

    private final String ceiling;

    private final Supplier<IdSource> source;

    DefaultPeer(String title, String ceiling, Supplier<IdSource> source) {
        this.title = title;
        this.ceiling = ceiling;
        this.source = source;
    }

    String title() {
        return this.title;
    }

    String ceiling() {
        return this.ceiling;
    }

    IdSource open() {
        return this.source.get();
    }

    private static ShardedIdEngine engine(IdLayout layout, int shards) {
        ShardedIdEngine ids = ShardedIds.builder()
            .layout(layout)
            .shards(shards)
            .maxWait(Duration.ofSeconds(30))
            .workers(WorkerLeases.fixed(3))
            .open();
        ids.next(0);
        return ids;
    }

    private static IdSource spread(ShardedIdEngine ids) {
        return new IdSource() {

            @Override
            public long next() {
                return ids.next(ThreadLocalRandom.current().nextInt(ids.shards()));
            }

            @Override
            public void close() {
                ids.close();
            }

        };
    }

    private static IdSource hypersistenceTsid() {
        TSID.Factory factory = TSID.Factory.builder().withNode(1).build();
        return () -> factory.generate().toLong();
    }

    private static IdSource tsidCreator() {
        TsidFactory factory = TsidFactory.builder().withNode(1).build();
        return () -> factory.create().toLong();
    }

    private static IdSource yitter() {
        try {
            return new DefaultIdGenerator(new IdGeneratorOptions((short) 1))::newLong;
        }
        catch (IdGeneratorException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static IdSource uuid7() {
        TimeOrderedEpochFactory factory = new TimeOrderedEpochFactory();
        return () -> factory.create().getLeastSignificantBits();
    }

}
