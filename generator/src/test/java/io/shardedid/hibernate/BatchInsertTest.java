package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.Photo;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.config.ShardedIdSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What IDENTITY cannot do: inserts in JDBC batches.
 */
@Tag("jdk")
@Tag("every-database")
class BatchInsertTest {

    private static final int USERS = 500;

    private static final int PHOTOS = 10_000;

    private static final int BATCH = 50;

    private final long seed = Long.getLong("seed", new Random().nextLong());

    @Test
    void insertsTenThousandPhotosInTwoHundredBatches() {
        try (ShardedIdEngine ids = TestUnit.engine(8);
                TestUnit unit = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.jdbc.batch_size", BATCH,
                        "hibernate.order_inserts", true, "hibernate.connection.provider_disables_autocommit", true),
                        User.class, Photo.class)) {
            List<User> users = new ArrayList<>();
            for (int i = 0; i < USERS; i++) {
                users.add(new User());
            }
            unit.persist(users.toArray());
            unit.jdbc.drain();

            List<Photo> photos = new ArrayList<>();
            Random random = new Random(this.seed);
            unit.inTransaction((session) -> {
                for (int i = 0; i < PHOTOS; i++) {
                    Photo photo = new Photo(users.get(random.nextInt(USERS)));
                    session.persist(photo);
                    photos.add(photo);
                }
                assertThat(unit.jdbc.drain()).as("statements and connections for ids").isEmpty();
            });

            assertThat(unit.jdbc.drain()).as("seed=%s", this.seed)
                .startsWith("getConnection")
                .filteredOn((entry) -> !entry.equals("getConnection"))
                .hasSize(PHOTOS / BATCH)
                .allMatch("executeBatch insert into photo (author_id,id) values (?,?)"::equals);
            assertThat(photos).extracting((photo) -> photo.id).as("seed=%s", this.seed).doesNotHaveDuplicates();
            assertIncreasingInEachShard(photos, ids);
            assertThat(photos).as("seed=%s", this.seed)
                .allMatch((photo) -> ids.shardOf(photo.id) == ids.shardOf(photo.author.id));
            assertThat(unit.<Long>fromTransaction(
                    (session) -> session.createSelectionQuery("select count(*) from Photo", Long.class)
                        .getSingleResult()))
                .isEqualTo(PHOTOS);
        }
    }

    private void assertIncreasingInEachShard(List<Photo> photos, ShardedIdEngine ids) {
        Map<Integer, Long> last = new HashMap<>();
        for (Photo photo : photos) {
            Long before = last.put(ids.shardOf(photo.id), photo.id);
            assertThat(photo.id).as("seed=%s, after %s", this.seed, before)
                .isGreaterThan((before != null) ? before : 0);
        }
        assertThat(last).as("seed=%s", this.seed).hasSizeGreaterThan(1);
    }

}
