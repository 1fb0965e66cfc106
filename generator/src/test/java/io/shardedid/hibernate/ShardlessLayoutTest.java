package io.shardedid.hibernate;

import java.time.Duration;
import java.util.Map;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.hibernate.ScalarModel.Like;
import io.shardedid.WorkerLeases;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Layouts without a shard field: plain ids of Snowflake's kind under a lease.
 */
class ShardlessLayoutTest {

    @Test
    void idWithoutAShardKeyIsAPlainSnowflakeId() {
        try (ShardedIdEngine ids = ShardedIds.builder()
            .layout(IdLayout.snowflake())
            .workers(WorkerLeases.fixed(700))
            .timeSource(new SkippingTime())
            .open(); TestUnit unit = TestUnit.with(ids, User.class)) {
            User first = new User();
            User second = new User();
            unit.persist(first, second);

            assertThat(second.id).isGreaterThan(first.id);
            assertThat(IdLayout.snowflake().workerOf(first.id)).isEqualTo(700);
            assertThat(Duration.between(IdLayout.snowflake().instantOf(first.id), ids.clock().instant()))
                .isLessThan(Duration.ofMinutes(1));
        }
    }

    @Test
    void shardKeyIsRefused() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit
                .of(Map.of("shardedid.layout.preset", "snowflake", "shardedid.worker.lease.acquire", "first-use"),
                        Like.class)
                .close())
            .withMessageContainingAll("shardKey=\"userId\"", "colocateWith=\"\"", "choose");
    }

}
