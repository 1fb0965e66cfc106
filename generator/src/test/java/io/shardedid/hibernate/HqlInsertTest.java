package io.shardedid.hibernate;

import java.util.List;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ScalarModel.Like;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.query.SemanticException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rows that are inserted by HQL, without an object.
 */
@Tag("every-database")
class HqlInsertTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(28);
        unit = TestUnit.with(ids, Like.class, OldLike.class, User.class, Remark.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static int execute(String hql) {
        return unit.fromTransaction((session) -> session.createMutationQuery(hql).executeUpdate());
    }

    private static List<Long> likes(long userId) {
        return unit.fromTransaction(
                (session) -> session.createSelectionQuery("select id from Likes where userId = :userId", Long.class)
                    .setParameter("userId", userId)
                    .getResultList());
    }

    @Test
    void insertsValuesWithAnIdOfTheEngine() {
        long id = ids.nextFor(11L);
        unit.inTransaction((session) -> session.createMutationQuery("insert Likes (id, userId) values (:id, 11)")
            .setParameter("id", id)
            .executeUpdate());
        assertThat(likes(11)).contains(id);
    }

    @Test
    void insertsValuesWithoutAnIdWhereTheRowFoundsItsShard() {
        assertThat(execute("insert Users (login) values ('ann')")).isEqualTo(1);
        Long id = unit.fromTransaction(
                (session) -> session.createSelectionQuery("select id from Users", Long.class).getSingleResult());
        assertThat(ids.layout().workerOf(id)).isEqualTo(28);
    }

    @Test
    void refusesValuesWithoutAnIdWhereAShardKeyIsNeeded() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> execute("insert Likes (userId) values (12)"))
            .withMessageContainingAll(Like.class.getName(), "userId");
        assertThat(likes(12)).isEmpty();
    }

    /** Nobody can tell whether the row has none, since there is no entity. */
    @Test
    void refusesValuesWithoutAnIdWhereTheKeyIsOptional() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> execute("insert Remarks (userId) values (15)"))
            .withMessageContainingAll(Remark.class.getName(), "userId");
    }

    @Test
    void insertsFromASelectThatCarriesTheId() {
        long id = ids.nextFor(13L);
        unit.persist(new OldLike(id, 13));
        assertThat(execute("insert Likes (id, userId) select id, userId from OldLike where userId = 13")).isEqualTo(1);
        assertThat(likes(13)).containsExactly(id);
    }

    @Test
    void isRefusedByHibernateFromASelectWithoutAnId() {
        unit.persist(new OldLike(14, 14));
        assertThatExceptionOfType(RuntimeException.class)
            .isThrownBy(() -> execute("insert Likes (userId) select userId from OldLike where userId = 14"))
            .withStackTraceContaining(SemanticException.class.getName())
            .withStackTraceContaining(
                    "without bulk insertion capable identifier generator: @ShardedId (an insert-select "
                            + "in HQL must name the id among the inserted attributes, and select it)");
        assertThat(likes(14)).isEmpty();
    }

    @Entity(name = "Users")
    static class User {

        @Id
        @ShardedId
        Long id;

        String login;

    }

    @Entity(name = "Remarks")
    static class Remark {

        @Id
        @ShardedId(shardKey = "userId", optionalKey = true)
        Long id;

        Long userId;

    }

    @Entity(name = "OldLike")
    static class OldLike {

        @Id
        long id;

        long userId;

        OldLike() {
        }

        OldLike(long id, long userId) {
            this.id = id;
            this.userId = userId;
        }

    }

}
