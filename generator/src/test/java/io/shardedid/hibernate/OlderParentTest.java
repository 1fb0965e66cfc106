package io.shardedid.hibernate;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.IdLayout;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.Photo;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.hibernate.ColocationModel.Like;
import io.shardedid.hibernate.AssignedModel.Event;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Children of rows that are older than the first lease in the table: of rows from before
 * this generator, and of its own rows in a database that has lost the table.
 */
class OlderParentTest {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final Instant MADE = Instant.now().minus(Duration.ofHours(3));

    private static final long PARENT = LAYOUT.compose(LAYOUT.tickAt(MADE), 883, 3, 0);

    private final UnitDatabase database = UnitDatabase.fresh();

    /** The rows of another database, without its lease table. */
    private TestUnit copy(Map<String, Object> settings) {
        this.database.execute("create table Users (id bigint primary key)",
                "insert into Users values (%s), (4711)".formatted(PARENT));
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.put("hibernate.hbm2ddl.auto", "update");
        return TestUnit.in(this.database, all, User.class, Photo.class, Like.class, Event.class);
    }

    private static Photo photoOf(TestUnit unit, long user) {
        Photo photo = new Photo();
        unit.inTransaction((session) -> {
            photo.author = session.getReference(User.class, user);
            session.persist(photo);
        });
        return photo;
    }

    private static String[] bothReadings(ShardedIdEngine ids, Class<?> entity) {
        return new String[] { entity.getName(), "id=" + PARENT, "lease=" + LAYOUT.instantAt(ids.reader().firstTick()),
                "bits=883", "number=" + PARENT % 2_000, "shardedid.older-ids-before" };
    }

    @Test
    void refusesAChildWhoseParentHasTwoReadings() {
        try (TestUnit unit = copy(Map.of())) {
            ShardedIdEngine ids = ShardedIdService.idsOf(unit.factory);
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> photoOf(unit, PARENT))
                .withMessageContainingAll(bothReadings(ids, Photo.class));
            Like like = new Like(PARENT);
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(like))
                .withMessageContainingAll(bothReadings(ids, Like.class));
            Event assigned = new Event(PARENT, 0L);
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(assigned))
                .withMessageContainingAll(bothReadings(ids, Event.class));
        }
    }

    @Test
    void refusesAChildAfterTheTableWasDroppedAndMadeAgain() {
        User user = new User();
        TestUnit before = TestUnit.in(this.database, Map.of(), User.class, Photo.class);
        before.persist(user);
        assertThat(LAYOUT.shardOf(photoOf(before, user.id).id)).isEqualTo(LAYOUT.shardOf(user.id));
        before.factory.close();
        before.jdbc.close();
        this.database.execute("drop table shardedid_worker");
        try (TestUnit unit = TestUnit.in(this.database, Map.of("hibernate.hbm2ddl.auto", "update"), User.class,
                Photo.class)) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> photoOf(unit, user.id))
                .withMessageContaining(", shard by its bits=%s, shard as a plain number=%s ("
                    .formatted(LAYOUT.shardOf(user.id), user.id % 2_000));
        }
    }

    private static ShardedIdEngine ids(TestUnit unit) {
        return ShardedIdService.idsOf(unit.factory);
    }

    @Test
    void childGoesToTheShardOfItsParentAfterTheLine() {
        try (TestUnit unit = copy(Map.of("shardedid.older-ids-before", LAYOUT.instantOf(PARENT).toString()))) {
            assertThat(LAYOUT.shardOf(photoOf(unit, PARENT).id)).isEqualTo(883);
            assertThat(LAYOUT.shardOf(photoOf(unit, 4_711).id)).isEqualTo(711);
        }
    }

    @Test
    void childGoesToTheShardOfAPlainNumberBeforeTheLine() {
        Instant line = MADE.plusSeconds(1);
        try (TestUnit unit = copy(Map.of("shardedid.older-ids-before", line))) {
            assertThat(LAYOUT.shardOf(photoOf(unit, PARENT).id)).isEqualTo((int) (PARENT % 2_000));
            assertThat(ids(unit).terms().olderIdsBefore()).isEqualTo(line);
        }
    }

    @Test
    void lineIsDrawnWithoutLeasesToo() {
        try (TestUnit unit = copy(Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", "7",
                "shardedid.older-ids-before", MADE))) {
            assertThat(LAYOUT.shardOf(photoOf(unit, PARENT).id)).isEqualTo(883);
            assertThat(LAYOUT.shardOf(photoOf(unit, 4_711).id)).isEqualTo(711);
        }
    }

    @Test
    void assignedNumberFromBeforeIsJudgedByItsHome() {
        try (TestUnit unit = copy(Map.of())) {
            Event fits = new Event(4_711L, 711L);
            unit.persist(fits);
            Event other = new Event(4_712L, 4L);
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(other))
                .withMessageContaining("shard=712, shard of the key=4");
        }
    }

}
