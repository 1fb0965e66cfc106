package io.shardedid.hibernate;

import java.util.List;
import java.util.stream.LongStream;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ScalarModel.Like;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code StatelessSession.insertMultiple}, which Hibernate has from 7.0 on.
 */
@Tag("every-database")
class StatelessSessionInsertMultipleTest {

    @Test
    void insertsAListInOneBatch() {
        try (ShardedIdEngine ids = TestUnit.engine(30); TestUnit unit = TestUnit.with(ids, Like.class)) {
            List<Like> likes = LongStream.range(0, 40).mapToObj(Like::new).toList();
            unit.factory.inStatelessTransaction((session) -> session.insertMultiple(likes));
            assertThat(likes).allMatch((like) -> ids.shardOf(like.id) == like.userId);
            assertThat(unit.jdbc.drain().stream().filter((entry) -> entry.startsWith("execute"))).hasSize(1);
        }
    }

}
