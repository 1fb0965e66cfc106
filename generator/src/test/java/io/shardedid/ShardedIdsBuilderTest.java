package io.shardedid;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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
    void refusesWhatCannotWork(UnaryOperator<ShardedIdsBuilder> choice, String message) {
        ShardedIdsBuilder builder = choice.apply(builder());

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(builder::open).withMessage(message);
        assertThat(this.leases.holder()).as("not started").isNull();
    }

    static Stream<Arguments> refusesWhatCannotWork() {
        return Stream.of(choice((b) -> b.shards(0), "shards must be in [1, 2048] (shard-bits=11): shards=0"),
                choice((b) -> b.shards(2049), "shards must be in [1, 2048] (shard-bits=11): shards=2049"),
                choice((b) -> b.layout(IdLayout.builder().shardBits(0).build()).shards(2),
                        "shards must be in [1, 1] (shard-bits=0): shards=2"),
                choice((b) -> b.maxAhead(Duration.ofNanos(999_999)),
                        "max-ahead must be in [1ms (one tick), 1h]: shardedid.clock.max-ahead=999999ns"),
                choice((b) -> b.maxAhead(Duration.ofHours(1).plusNanos(1)),
                        "max-ahead must be in [1ms (one tick), 1h]: " + "shardedid.clock.max-ahead=3600000000001ns"),
                choice((b) -> b.maxAhead(Duration.ofSeconds(-1)),
                        "max-ahead must be in [1ms (one tick), 1h]: shardedid.clock.max-ahead=-1s"),
                choice((b) -> b.maxWait(Duration.ZERO), "max-wait must be in (0s, 1h]: shardedid.clock.max-wait=0s"),
                choice((b) -> b.maxWait(Duration.ofDays(1)),
                        "max-wait must be in (0s, 1h]: shardedid.clock.max-wait=24h"),
                choice((b) -> b.layout(IdLayout.builder().epoch(EngineRig.NOW.plusMillis(1)).build()),
                        "epoch must not be in the future: shardedid.epoch=2026-01-01T00:00:00.001Z, "
                                + "now=2026-01-01T00:00:00Z"),
                choice((b) -> b
                    .layout(IdLayout.builder().timeBits(41).shardBits(0).workerBits(0).sequenceBits(20).build())
                    .shards(1), "time-bits + sequence-bits must be <= 60 to make ids: time-bits=41, sequence-bits=20"));
    }

    private static Arguments choice(UnaryOperator<ShardedIdsBuilder> choice, String message) {
        return arguments(choice, message);
    }

    @Test
    void refusesToOpenWithoutWorkers() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> ShardedIds.builder().open())
            .withMessage("workers must be set: workers=null; for example workers(WorkerLeases.fixed(7))");
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

            assertThat(log.lines()).containsExactly("WARNING The time range of the layout ends soon: last usable "
                    + "instant=2059-11-04T19:53:47.775Z, days left=363; no id is made after it, see "
                    + MessageText.OTHER_LAYOUT);
        }
    }

}
