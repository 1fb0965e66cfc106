package io.shardedid;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongFunction;

import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.UuidGenerator;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows with a UUID that carries the shard beside rows with Hibernate's own version 7, in
 * one run: the time of {@code persist}, which is only printed, the size of the index, and
 * what PostgreSQL reads from such a UUID.
 */
@Tag("proof")
@Tag("nightly")
class UuidPersistIT {

    /** Rows of one kind in one transaction; the kinds take turns. */
    private static final int ROWS = 1_000;

    private static final int ROUNDS = ProofLength.of(50, 1_000);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private final Random users = new Random(20);

    @Test
    void indexIsAsDenseAsThatOfVersion7WithoutAShard() {
        try (ShardedIdEngine ids = ShardedIds.builder().workers(WorkerLeases.fixed(3)).open();
                SessionFactory factory = factory(ids)) {
            double[] sharded = new double[ROUNDS];
            double[] plain = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                sharded[round] = microsPerRow(factory, ShardedRow::new);
                plain[round] = microsPerRow(factory, PlainRow::new);
            }
            long shardedBytes = indexBytes("uuid_sharded_row");
            long plainBytes = indexBytes("uuid_plain_row");
            System.out.printf(
                    "persist beside Hibernate's version 7: rows=%,d, microseconds a row=%.1f beside %.1f (medians), bytes "
                            + "of the index a row=%.1f beside %.1f%n",
                    ROWS * ROUNDS, median(sharded), median(plain), (double) shardedBytes / (ROWS * ROUNDS),
                    (double) plainBytes / (ROWS * ROUNDS));

            assertThat((double) shardedBytes / plainBytes).as("index over index").isBetween(0.95, 1.05);
        }
    }

    @Test
    void databaseReadsTheTimeByItself() {
        try (ShardedIdEngine ids = ShardedIds.builder().workers(WorkerLeases.fixed(3)).open();
                SessionFactory factory = factory(ids)) {
            ShardedRow row = new ShardedRow(42);
            factory.inTransaction((session) -> session.persist(row));
            assertThat(this.database
                .query("SELECT uuid_extract_timestamp(id) = '%s' AND uuid_extract_version(id) = 7 FROM uuid_sharded_row"
                    .formatted(UuidLayout.instantOf(row.id))))
                .isEqualTo("t");
        }
    }

    private SessionFactory factory(ShardedIdEngine ids) {
        return new MetadataSources(
                new StandardServiceRegistryBuilder().applySetting("jakarta.persistence.jdbc.url", this.database.url())
                    .applySetting("jakarta.persistence.jdbc.user", this.database.user())
                    .applySetting("jakarta.persistence.jdbc.password", this.database.password())
                    .applySetting("hibernate.hbm2ddl.auto", "create")
                    .applySetting("hibernate.jdbc.batch_size", 50)
                    .applySetting(ShardedIdSettings.ENGINE, ids)
                    .build())
            .addAnnotatedClasses(ShardedRow.class, PlainRow.class)
            .buildMetadata()
            .buildSessionFactory();
    }

    private double microsPerRow(SessionFactory factory, LongFunction<Object> row) {
        List<Object> rows = this.users.longs(ROWS, 0, 100_000).mapToObj(row).toList();
        long began = System.nanoTime();
        factory.inTransaction((session) -> rows.forEach(session::persist));
        return (System.nanoTime() - began) / 1000.0 / ROWS;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private long indexBytes(String table) {
        return Long.parseLong(this.database
            .query("SELECT pg_relation_size(indexrelid) FROM pg_index WHERE indrelid = '" + table + "'::regclass"));
    }

    @Entity(name = "uuid_sharded_row")
    static class ShardedRow {

        @Id
        @ShardedId(shardKey = "userId")
        UUID id;

        long userId;

        ShardedRow() {
        }

        ShardedRow(long userId) {
            this.userId = userId;
        }

    }

    @Entity(name = "uuid_plain_row")
    static class PlainRow {

        @Id
        @UuidGenerator(style = UuidGenerator.Style.VERSION_7)
        UUID id;

        long userId;

        PlainRow() {
        }

        PlainRow(long userId) {
            this.userId = userId;
        }

    }

}
