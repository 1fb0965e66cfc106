package io.shardedid;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ShardedIdsBuilderTest {

    private final SettableTime time = SettableTime.at(EngineRig.NOW);

    private final ScriptedLeases leases = new ScriptedLeases("builder");

    private ShardedIdsBuilder builder() {
        return new OwnRegistry().builder().timeSource(this.time).workers(this.leases);
    }

    /** All processes compare it. */
    @Test
    void shardFunctionNeedsAnId() {
        ShardFunction nameless = new ShardFunction() {
            @Override
            public String id() {
                return null;
            }

            @Override
            public int shardOf(Object key, int shards) {
                return 0;
            }
        };
        assertThatNullPointerException().isThrownBy(() -> ShardedIds.builder().shardFunction(nameless))
            .withMessage("shardFunction.id()");
    }

    @Test
    void defaultsAreThoseOfTheConfigurationKeys() {
        try (ShardedIdEngine ids = builder().open()) {
            assertThat(ids.layout()).isEqualTo(IdLayout.standard());
            assertThat(ids.shards()).isEqualTo(2000);
            assertThat(ids.reader().shardFunction().id()).isEqualTo("modulo");
        }
    }

    @ParameterizedTest
    @MethodSource
    void refusesWhatCannotWork(UnaryOperator<ShardedIdsBuilder> choice, String fields) {
        ShardedIdsBuilder builder = choice.apply(builder());

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(builder::open)
            .withMessageContainingAll(fields.split(" \\| "));
        assertThat(this.leases.holder()).as("not started").isNull();
    }

    static Stream<Arguments> refusesWhatCannotWork() {
        return Stream.of(choice((b) -> b.shards(0), "[1, 2048] | shard-bits=11 | shards=0"),
                choice((b) -> b.shards(2049), "[1, 2048] | shard-bits=11 | shards=2049"),
                choice((b) -> b.layout(IdLayout.builder().shardBits(0).build()).shards(2),
                        "[1, 1] | shard-bits=0 | shards=2"),
                choice((b) -> b.maxAhead(Duration.ofNanos(999_999)),
                        "[1ms (one tick), 1h] | shardedid.clock.max-ahead=999999ns"),
                choice((b) -> b.maxAhead(Duration.ofHours(1).plusNanos(1)),
                        "[1ms (one tick), 1h] | shardedid.clock.max-ahead=3600000000001ns"),
                choice((b) -> b.maxAhead(Duration.ofSeconds(-1)),
                        "[1ms (one tick), 1h] | shardedid.clock.max-ahead=-1s"),
                choice((b) -> b.maxWait(Duration.ZERO), "shardedid.clock.max-wait=0s"),
                choice((b) -> b.maxWait(Duration.ofDays(1)), "shardedid.clock.max-wait=24h"),
                choice((b) -> b.layout(IdLayout.builder().epoch(EngineRig.NOW.plusMillis(1)).build()),
                        "shardedid.epoch=2026-01-01T00:00:00.001Z | now=2026-01-01T00:00:00Z"),
                choice((b) -> b
                    .layout(IdLayout.builder().timeBits(41).shardBits(0).workerBits(0).sequenceBits(20).build())
                    .shards(1), "time-bits=41 | sequence-bits=20"));
    }

    private static Arguments choice(UnaryOperator<ShardedIdsBuilder> choice, String fields) {
        return arguments(choice, fields);
    }

    /** The layout row would not tell the two apart. */
    @ParameterizedTest
    @ValueSource(strings = { "modulo", "hash" })
    void refusesTheIdOfABuiltInFunction(String id) {
        ShardFunction own = new ShardFunction() {
            @Override
            public int shardOf(Object key, int shards) {
                return 0;
            }

            @Override
            public String id() {
                return id;
            }
        };
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> builder().shardFunction(own))
            .withMessageContainingAll("id='" + id + "'", own.getClass().getName(), "another");
    }

    @Test
    void refusesToOpenWithoutWorkers() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> ShardedIds.builder().open())
            .withMessageContainingAll("workers=null", "WorkerLeases");
    }

    @Test
    void acceptsTheBounds() {
        builder().shards(1).maxAhead(Duration.ofMillis(1)).maxWait(Duration.ofNanos(1)).open().close();
        builder().shards(2048).maxAhead(Duration.ofHours(1)).maxWait(Duration.ofHours(1)).open().close();
        builder().layout(IdLayout.builder().epoch(EngineRig.NOW).build()).open().close();
        builder().layout(IdLayout.builder().timeBits(40).shardBits(0).workerBits(0).sequenceBits(20).build())
            .shards(1)
            .open()
            .close();
    }

    @Test
    void warnsFromOneYearBeforeTheEndOfTheLayout() {
        IdLayout layout = IdLayout.standard();
        try (LoggedLines log = new LoggedLines(ShardedIdsBuilder.class.getName())) {
            this.time.advance(Duration.between(EngineRig.NOW, layout.lastUsableInstant().minus(Duration.ofDays(365))));
            builder().open().close();
            assertThat(log.lines()).isEmpty();

            this.time.advance(Duration.ofHours(25));
            builder().open().close();

            assertThat(log.lines()).singleElement().asString().contains("instant=2059-11-04T19:53:47.775Z", "left=363");
        }
    }

}
