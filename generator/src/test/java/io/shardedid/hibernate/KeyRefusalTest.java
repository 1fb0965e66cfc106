package io.shardedid.hibernate;

import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Keys that lead to no shard when an entity is persisted. After each refusal the unit
 * goes on working.
 */
class KeyRefusalTest {

    private static final String HERE = KeyRefusalTest.class.getName() + "$";

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(3);
        unit = TestUnit.with(ids, User.class, Photo.class, Like.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static void refused(TestUnit unit, Object entity, String fields) {
        unit.jdbc.drain();
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(entity))
            .withMessageContainingAll(fields.replace("HERE.", HERE).split(" \\| "));
        assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.contains("insert"));
        unit.persist(new User());
    }

    @Test
    void refusesToTakeOverAShardThatIsNoneOfOurs() {
        Photo photo = new Photo();
        photo.author = new User();
        photo.author.id = IdLayout.standard().compose(1, 2_047, 0, 0);
        refused(unit, photo, "[0, 1999] | id=16773120 | shard=2047 | layout");
    }

    @Test
    void refusesAShardOutsideTheRangeOfTheFunction() {
        try (ShardedIdEngine strange = ShardedIds.builder()
            .workers(WorkerLeases.fixed(4))
            .shardFunction(new Constant(2_000))
            .timeSource(new SkippingTime())
            .open(); TestUnit other = TestUnit.with(strange, User.class, Like.class)) {
            Like like = new Like();
            like.userId = 7L;
            refused(other, like, "[0, 1999] | key=7 | shard=2000");
        }
    }

    @Test
    void namesTheEntityAndTheKeyWhereTheFunctionFails() {
        ShardFunction texts = new ShardFunction() {
            @Override
            public int shardOf(Object key, int shards) {
                return ((String) key).length();
            }

            @Override
            public String id() {
                return "texts";
            }

            @Override
            public boolean supports(Class<?> type) {
                return true;
            }
        };
        try (ShardedIdEngine strange = ShardedIds.builder()
            .workers(WorkerLeases.fixed(5))
            .shardFunction(texts)
            .timeSource(new SkippingTime())
            .open(); TestUnit other = TestUnit.with(strange, User.class, Like.class)) {
            Like like = new Like();
            like.userId = 7L;
            refused(other, like, "HERE.Like.userId | 'texts' | key=7 | type=java.lang.Long");
        }
    }

    @Test
    void refusesAnHqlInsertThatNeedsAShardKey() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> unit.inTransaction(
                    (session) -> session.createMutationQuery("insert into Likes (userId) values (5)").executeUpdate()))
            .withMessageContainingAll(HERE + "Like", "userId");
    }

    @Test
    void takesTheIdOfAnHqlInsert() {
        long id = ids.nextFor(5L);
        unit.inTransaction((session) -> session.createMutationQuery("insert into Likes (id, userId) values (:id, 5)")
            .setParameter("id", id)
            .executeUpdate());
        Like like = unit.fromTransaction((session) -> session.find(Like.class, id));
        assertThat(like.userId).isEqualTo(5);
    }

    @Test
    void generatesTheIdOfAnHqlInsertWithoutAShardKey() {
        unit.inTransaction(
                (session) -> session.createMutationQuery("insert into Users (name) values ('hql')").executeUpdate());
        List<Long> found = unit.fromTransaction(
                (session) -> session.createSelectionQuery("select id from Users where name = 'hql'", Long.class)
                    .getResultList());
        assertThat(found).singleElement().satisfies((id) -> assertThat(ids.layout().workerOf(id)).isEqualTo(3));
    }

    record Constant(int shard) implements ShardFunction {

        @Override
        public int shardOf(Object key, int shards) {
            return this.shard;
        }

        @Override
        public String id() {
            return "constant";
        }

    }

    @Entity(name = "Users")
    static class User {

        @Id
        @ShardedId
        Long id;

        String name;

    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "author")
        Long id;

        @ManyToOne
        User author;

    }

    @Entity(name = "Likes")
    static class Like {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        Long userId;

    }

}
