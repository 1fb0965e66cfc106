package io.shardedid.benchmarks;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import cn.hutool.core.lang.Snowflake;
import com.baomidou.mybatisplus.core.toolkit.Sequence;
import com.github.f4b6a3.tsid.TsidFactory;
import com.github.yitter.contract.IdGeneratorException;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.DefaultIdGenerator;
import io.hypersistence.tsid.TSID;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.agrona.concurrent.SnowflakeIdGenerator;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The ways to make an id that are compared, each with its sequence as wide as it goes: a
 * result at a ceiling measures the ceiling.
 */
public enum Peer {

    /** What nobody who reads a clock and counts can be faster than. */
    LIMIT("clock + atomic increment", Kind.LIMIT, "none", Peer::limit),

    /** This project with a worker id from the configuration. */
    FIXED("ShardedId, fixed", Kind.SHARDEDID, "2^20 a ms and shard", () -> engine(EngineMode.FIXED)),

    /** This project with a leased worker id. */
    LEASE("ShardedId, lease", Kind.SHARDEDID, "2^20 a ms and shard", () -> engine(EngineMode.LEASE)),

    /** This project without a shard key. */
    KEYLESS("ShardedId, keyless", Kind.SHARDEDID, "2^20 a ms", Peer::keyless),

    /** This project with one cell for all shards. */
    DENSE("ShardedId, sequence above shard as in 'dense'", Kind.SHARDEDID, "2^20 a ms", Peer::dense),

    /** Agrona. */
    AGRONA("Agrona SnowflakeIdGenerator", Kind.TIME_BASED, "2^20 a ms", Peer::agrona),

    /** Vlad Mihalcea's TSID. */
    HYPERSISTENCE_TSID("hypersistence-tsid", Kind.TIME_BASED, "2^22 a ms", Peer::hypersistenceTsid),

    /** Fabio Lima's TSID. */
    TSID_CREATOR("tsid-creator", Kind.TIME_BASED, "2^22 a ms", Peer::tsidCreator),

    /** CosId. */
    COSID("CosId snowflake", Kind.TIME_BASED, "2^20 a ms", Peer::cosId),

    /** MyBatis-Plus. */
    MYBATIS_PLUS("MyBatis-Plus Sequence", Kind.TIME_BASED, "4,096 a ms: 244 ns", Peer::mybatisPlus),

    /** Hutool. */
    HUTOOL("Hutool Snowflake", Kind.TIME_BASED, "4,096 a ms: 244 ns", Peer::hutool),

    /** Yitter. */
    YITTER("yitter", Kind.TIME_BASED, "32,762 a ms: 31 ns", Peer::yitter),

    /** CosId without time. */
    COSID_SEGMENTS("CosId segment chain, segments from this process", Kind.COUNTER, "none",
            () -> new SegmentChainId(new IdSegmentDistributor.Atomic())::generate);

    /** What a peer is compared as. */
    public enum Kind {

        /** The lower bound. */
        LIMIT,
        /** This project. */
        SHARDEDID,
        /** Others that put time into the id. */
        TIME_BASED,
        /** Others that only count. */
        COUNTER

    }

    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");

    private final String title;

    private final Kind kind;

    private final String ceiling;

    private final Supplier<IdSource> source;

    Peer(String title, Kind kind, String ceiling, Supplier<IdSource> source) {
        this.title = title;
        this.kind = kind;
        this.ceiling = ceiling;
        this.source = source;
    }

    String title() {
        return this.title;
    }

    Kind kind() {
        return this.kind;
    }

    /** Whether the figures look at it: it can be the limit, this or the fastest peer. */
    boolean contender() {
        return switch (this) {
            case LIMIT, FIXED, LEASE, AGRONA, HYPERSISTENCE_TSID, TSID_CREATOR, COSID, YITTER -> true;
            case KEYLESS, DENSE, MYBATIS_PLUS, HUTOOL, COSID_SEGMENTS -> false;
        };
    }

    String ceiling() {
        return this.ceiling;
    }

    IdSource open() {
        return this.source.get();
    }

    private static IdSource limit() {
        AtomicLong count = new AtomicLong();
        return () -> System.nanoTime() << 20 | count.incrementAndGet() & (1 << 20) - 1;
    }

    private static IdSource engine(EngineMode mode) {
        return new ShardSource(mode.open(1));
    }

    private static IdSource dense() {
        return new ShardSource(EngineMode.FIXED.open(BenchmarkLayout.FAR_CEILING_DENSE, 2000));
    }

    private static IdSource keyless() {
        return new KeylessSource(EngineMode.FIXED.open(2000));
    }

    private static IdSource agrona() {
        SnowflakeIdGenerator generator = new SnowflakeIdGenerator(2, 20, 1, EPOCH.toEpochMilli(),
                SystemEpochClock.INSTANCE);
        return generator::nextId;
    }

    private static IdSource hypersistenceTsid() {
        TSID.Factory factory = TSID.Factory.builder().withNodeBits(0).withNode(0).build();
        return () -> factory.generate().toLong();
    }

    private static IdSource tsidCreator() {
        TsidFactory factory = TsidFactory.builder().withNodeBits(0).withNode(0).build();
        return () -> factory.create().toLong();
    }

    private static IdSource cosId() {
        return new MillisecondSnowflakeId(EPOCH.toEpochMilli(), 41, 2, 20, 1)::generate;
    }

    private static IdSource mybatisPlus() {
        return new Sequence(1, 1)::nextId;
    }

    private static IdSource hutool() {
        return new Snowflake(1, 1)::nextId;
    }

    private static IdSource yitter() {
        IdGeneratorOptions options = new IdGeneratorOptions((short) 1);
        options.SeqBitLength = 15; // more overflows its 'short'
        try {
            return new DefaultIdGenerator(options)::newLong;
        }
        catch (IdGeneratorException ex) {
            throw new IllegalStateException(ex);
        }
    }

}
