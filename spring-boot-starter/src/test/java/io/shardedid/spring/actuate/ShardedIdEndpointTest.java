package io.shardedid.spring.actuate;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ShardedIdEndpointTest {

    private final Engines.HandLease hand = new Engines.HandLease(9);

    private final ShardedIdEngine ids = Engines.of(this.hand);

    private final ShardedIdEndpoint endpoint = new ShardedIdEndpoint(this.ids);

    @AfterEach
    void close() {
        this.ids.close();
    }

    @Test
    void showsLayoutShardsAndWorkers() {
        this.hand.lease();

        ShardedIdEndpoint.EngineDescriptor engine = this.endpoint.engine();

        assertThat(engine.layout().epoch()).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(engine.layout().lastUsableInstant()).isEqualTo("2059-11-04T19:53:47.775Z");
        assertThat(engine.layout().tick()).isEqualTo("PT0.001S");
        assertThat(engine.layout().fields()).isEqualTo("time 40, shard 11, worker 7, sequence 5");
        assertThat(engine.shards()).isEqualTo(2000);
        assertThat(engine.shardFunction()).isEqualTo("modulo");
        assertThat(engine.workerId()).isEqualTo(9);
        assertThat(engine.workers()).containsExactly(new ShardedIdEndpoint.WorkerDescriptor(9, "held", "shop",
                Instant.parse("2026-11-21T10:15:30Z"), 4, true));
    }

    @Test
    void workerThatIsConfiguredIsHeldWithoutAnEnd() {
        try (ShardedIdEngine fixed = ShardedIds.builder().workers(WorkerLeases.fixed(8)).open()) {
            assertThat(new ShardedIdEndpoint(fixed).engine().workers()).singleElement()
                .satisfies((worker) -> assertThat(worker.workerId()).isEqualTo(8))
                .satisfies((worker) -> assertThat(worker.until()).isNull());
        }
    }

    @Test
    void takesAnIdApart() {
        long tick = this.ids.layout().tickAt(Instant.parse("2026-11-21T10:14:30Z"));
        long id = this.ids.layout().compose(tick, 1341, 5, 1);

        assertThat(this.endpoint.id(Long.toString(id))).isEqualTo(new ShardedIdEndpoint.IdDescriptor(Long.toString(id),
                Instant.parse("2026-11-21T10:14:30Z"), 1341, 5, 1, false, List.of()));
        assertThat(this.endpoint.id("9223372036854775807").sequence()).isEqualTo(31);
        assertThat(this.endpoint.id("9223372036854775807").problems()).containsExactly(
                "its time, 2059-11-04T19:53:47.775Z, has not come yet", "its shard, 2047, is outside [0, 1999]");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-1", "12a", "9223372036854775808", "99999999999999999999", " 1", "١" })
    void refusesWhatIsNoId(String id) {
        assertThatThrownBy(() -> this.endpoint.id(id)).isInstanceOf(InvalidEndpointRequestException.class)
            .hasMessageContaining("id='" + id + "'");
    }

    @Test
    void saysWhatIsWrongWithAnIdThatTheLayoutCannotHold() {
        IdLayout narrow = IdLayout.builder().shardBits(4).workerBits(5).sequenceBits(5).build();
        try (ShardedIdEngine engine = ShardedIds.builder()
            .layout(narrow)
            .shards(16)
            .workers(WorkerLeases.fixed(1))
            .open()) {
            assertThatThrownBy(() -> new ShardedIdEndpoint(engine).id("9223372036854775807"))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessageContaining("id='9223372036854775807'");
        }
    }

    @Test
    void makesNoIdAndChangesNothing() {
        this.hand.lease();
        this.endpoint.engine();
        this.endpoint.id("1");

        assertThat(this.ids.stats().issued()).isZero();
        assertThat(ShardedIdEndpoint.class.getDeclaredMethods()).noneMatch((method) -> Arrays
            .stream(method.getAnnotations())
            .anyMatch((annotation) -> annotation instanceof WriteOperation || annotation instanceof DeleteOperation));
    }

}
