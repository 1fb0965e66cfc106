package io.shardedid.hibernate;

import java.util.function.ToIntFunction;

import io.shardedid.ShardFunction;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.hibernate.ScalarModel.Like;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shard functions of the application that lead to no shard; {@link KeyMappingTest} has
 * the keys that lead to none. After each refusal the unit goes on working.
 */
class KeyRefusalTest {

    private static void refused(ToIntFunction<Object> function, String... fields) {
        try (ShardedIdEngine ids = ShardedIds.builder()
            .workers(WorkerLeases.fixed(4))
            .shardFunction(new Strange(function))
            .timeSource(new SkippingTime())
            .open(); TestUnit unit = TestUnit.with(ids, User.class, Like.class)) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(new Like(7L)))
                .withMessageContainingAll(fields);
            assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.contains("insert"));
            unit.persist(new User());
        }
    }

    @Test
    void refusesAShardOutsideTheRangeOfTheFunction() {
        refused((key) -> 2_000, "[0, 1999]", "key=7", "shard=2000");
        refused((key) -> -1, "[0, 1999]", "key=7", "shard=-1");
    }

    @Test
    void namesTheEntityAndTheKeyWhereTheFunctionFails() {
        refused((key) -> ((String) key).length(), Like.class.getName() + ".userId", "'strange'", "key=7",
                "type=java.lang.Long");
    }

    record Strange(ToIntFunction<Object> function) implements ShardFunction {

        @Override
        public int shardOf(Object key, int shards) {
            return this.function.applyAsInt(key);
        }

        @Override
        public String id() {
            return "strange";
        }

        @Override
        public boolean supports(Class<?> type) {
            return true;
        }

    }

}
