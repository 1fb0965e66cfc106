package io.shardedid.hibernate;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ScalarModel.Like;
import io.shardedid.hibernate.AssignedModel.Event;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A session without a persistence context.
 */
@Tag("every-database")
class StatelessSessionTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(29);
        unit = TestUnit.with(ids, Like.class, Event.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @BeforeEach
    void forget() {
        unit.jdbc.drain();
    }

    private static List<String> statements() {
        return unit.jdbc.drain().stream().filter((entry) -> entry.startsWith("execute")).toList();
    }

    private static void inStateless(Consumer<StatelessSession> work) {
        unit.factory.inStatelessTransaction(work::accept);
    }

    private static Like found(Long id) {
        return unit.fromTransaction((session) -> session.find(Like.class, id));
    }

    @Test
    void insertsWithOneStatement() {
        Like like = new Like(5L);
        inStateless((session) -> session.insert(like));
        assertThat(ids.shardOf(like.id)).isEqualTo(5);
        assertThat(statements()).hasSize(1);
        assertThat(found(like.id).userId).isEqualTo(5);
    }

    @Test
    void insertsInBatches() {
        List<Like> likes = LongStream.range(0, 100).mapToObj(Like::new).toList();
        inStateless((session) -> {
            session.setJdbcBatchSize(50);
            likes.forEach(session::insert);
        });
        assertThat(statements()).hasSize(2).allMatch((entry) -> entry.startsWith("executeBatch"));
        assertThat(likes).allMatch((like) -> ids.shardOf(like.id) == like.userId);
    }

    @Test
    void insertsAnAssignedIdThatTheRowMayHave() {
        long assigned = ids.nextFor(5L);
        Event event = new Event(assigned, 5L);
        inStateless((session) -> session.insert(event));
        assertThat(event.id).isEqualTo(assigned);
        assertThat(statements()).hasSize(1);
    }

    @Test
    void updatesAndDeletes() {
        Like like = new Like(5L);
        inStateless((session) -> session.insert(like));
        like.note = "seen";
        inStateless((session) -> session.update(like));
        assertThat(found(like.id).note).isEqualTo("seen");
        inStateless((session) -> session.delete(like));
        assertThat(found(like.id)).isNull();
    }

    @Test
    void upsertsANewRowWithAnId() {
        Like like = new Like(5L);
        like.id = ids.nextFor(5L);
        inStateless((session) -> session.upsert(like));
        assertThat(found(like.id).userId).isEqualTo(5);
    }

    @Test
    void upsertsAnExistingRow() {
        Like like = new Like(5L);
        inStateless((session) -> session.insert(like));
        like.note = "seen";
        inStateless((session) -> session.upsert(like));
        assertThat(found(like.id).note).isEqualTo("seen");
    }

    @Test
    void isRefusedByHibernateToUpsertWithoutAnId() {
        assertThatExceptionOfType(RuntimeException.class)
            .isThrownBy(() -> inStateless((session) -> session.upsert(new Like(5L))))
            .withMessageContaining("identifier");
    }

    @Test
    void refusesAMissingShardKeyAndGoesOn() {
        Like like = new Like(null);
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> inStateless((session) -> session.insert(like)))
            .withMessageContainingAll(Like.class.getName(), "userId", "@ShardedId(optionalKey = true)");
        assertThat(statements()).isEmpty();
        insertsWithOneStatement();
    }

}
