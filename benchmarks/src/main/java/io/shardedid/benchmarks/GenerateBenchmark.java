package io.shardedid.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdEngine;

import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What Hibernate calls for each row: the shard key is read off the entity and the id is
 * made. The layout is the one with the far ceiling, and the rows are of one shard.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class GenerateBenchmark {

    private final Rows.Keyed keyed = new Rows.Keyed();

    private final Rows.Child child = new Rows.Child();

    private Database.Server database;

    private HikariDataSource pool;

    private ShardedIdEngine ids;

    private SessionFactory factory;

    private SessionImplementor session;

    private BeforeExecutionGenerator ofKeyed;

    private BeforeExecutionGenerator ofChild;

    @Setup
    public void open() throws Exception {
        this.database = Database.H2.start();
        this.pool = this.database.pool(2);
        this.ids = EngineMode.FIXED.open(2000);
        this.factory = PersistUnit.open(this.pool, this.ids, List.of(Rows.Keyed.class, Rows.Child.class));
        this.factory.getStatistics().setStatisticsEnabled(true);
        this.session = (SessionImplementor) this.factory.openSession();
        this.ofKeyed = generatorOf(Rows.Keyed.class);
        this.ofChild = generatorOf(Rows.Child.class);
        this.keyed.userId = 4711;
        this.keyed.id = this.ids.next(11);
        this.child.parent = this.keyed;
    }

    private BeforeExecutionGenerator generatorOf(Class<?> entity) {
        return (BeforeExecutionGenerator) ((SessionFactoryImplementor) this.factory).getMappingMetamodel()
            .getEntityDescriptor(entity)
            .getGenerator();
    }

    @TearDown
    public void close() throws Exception {
        long statements = this.factory.getStatistics().getPrepareStatementCount();
        if (statements > 0) {
            throw new IllegalStateException("generate must prepare no statement: statements=" + statements);
        }
        this.session.close();
        this.factory.close();
        this.ids.close();
        this.pool.close();
        this.database.close();
    }

    @Benchmark
    public Object scalarKey() {
        return this.ofKeyed.generate(this.session, this.keyed, null, EventType.INSERT);
    }

    @Benchmark
    public Object association() {
        return this.ofChild.generate(this.session, this.child, null, EventType.INSERT);
    }

}
