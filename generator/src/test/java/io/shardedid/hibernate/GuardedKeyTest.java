package io.shardedid.hibernate;

import java.util.Map;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PrePersist;
import org.hibernate.PropertyValueException;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A null key that the mapping refuses anyway: who handles that exception goes on to get
 * it.
 */
class GuardedKeyTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(23);
        unit = TestUnit.with(ids, Photo.class, Counted.class, Comment.class, Stamped.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @Test
    void missingValueOfAColumnIsRefusedAsWithASequence() {
        assertThatThrownBy(() -> unit.persist(new Counted())).isInstanceOf(PropertyValueException.class);
        assertThatThrownBy(() -> unit.persist(new Photo())).isInstanceOf(PropertyValueException.class)
            .hasMessageContaining(".userId");
    }

    @Test
    void missingAssociationIsRefusedByHibernate() {
        assertThatThrownBy(() -> unit.persist(new Comment())).isInstanceOf(PropertyValueException.class)
            .hasMessageContaining(".photo");
    }

    /** It leaves null to the database, which never sees the row. */
    @Test
    void statelessSessionRefusesWhenTheRowIsWritten() {
        assertThatThrownBy(() -> unit.factory.inStatelessTransaction((session) -> session.insert(new Photo())))
            .isInstanceOf(ShardKeyException.class)
            .hasMessageContainingAll("key=none", "persist");
    }

    @Test
    void keyThatIsSetTooLateIsRefusedStill() {
        // of two rows in turn, one at most happens to get an id of the shard of that key
        Throwable first = catchThrowable(() -> unit.persist(new Stamped()));
        Throwable second = catchThrowable(() -> unit.persist(new Stamped()));

        assertThat((first != null) ? first : second).isInstanceOf(ShardKeyException.class)
            .hasMessageContaining("shard key 'createdBy' must lead to the shard of the id when the row is written");
    }

    /** Hibernate checks nothing where Bean Validation is on the class path. */
    @Test
    void persistRefusesWhereHibernateChecksNothing() {
        try (TestUnit unchecked = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.check_nullability",
                "false", "hibernate.hbm2ddl.auto", "create"), Photo.class, Comment.class, Vote.class)) {
            unchecked.inTransaction((session) -> refusedByPersist(session, new Photo(), "userId"));
            unchecked.inTransaction((session) -> refusedByPersist(session, new Comment(), "photo"));
            unchecked.inTransaction((session) -> refusedByPersist(session, new Vote(), "photoId"));
            assertThatThrownBy(() -> unchecked.factory.inStatelessTransaction((session) -> session.insert(new Photo())))
                .isInstanceOf(ShardKeyException.class)
                .hasMessageContainingAll(Photo.class.getName(), "userId");
            assertThat(count(unchecked)).isZero();
        }
    }

    private static void refusedByPersist(Session session, Object entity, String key) {
        assertThatThrownBy(() -> session.persist(entity)).isInstanceOf(ShardKeyException.class)
            .hasMessageContainingAll(entity.getClass().getName(), key, "optionalKey");
    }

    private static long count(TestUnit of) {
        return of.<Long>fromTransaction(
                (session) -> session.createSelectionQuery("select count(*) from GuardedPhoto", Long.class)
                    .getSingleResult());
    }

    @Entity(name = "GuardedPhoto")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @Column(nullable = false)
        Long userId;

    }

    @Entity(name = "GuardedCounted")
    static class Counted {

        @Id
        @GeneratedValue
        Long id;

        @Column(nullable = false)
        Long userId;

    }

    @Entity(name = "GuardedComment")
    static class Comment {

        @Id
        @ShardedId(shardKey = "photo")
        Long id;

        @ManyToOne(optional = false)
        Photo photo;

    }

    @Entity(name = "GuardedVote")
    static class Vote {

        @Id
        @ShardedId(colocateWith = "photoId")
        Long id;

        @Column(nullable = false)
        Long photoId;

    }

    @Entity(name = "GuardedStamped")
    static class Stamped {

        @Id
        @ShardedId(shardKey = "createdBy")
        Long id;

        @Column(nullable = false)
        Long createdBy;

        @PrePersist
        void stamp() {
            this.createdBy = 1_234_567L;
        }

    }

}
