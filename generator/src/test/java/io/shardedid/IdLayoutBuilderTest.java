package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class IdLayoutBuilderTest {

    @ParameterizedTest
    @MethodSource
    void refusesWhatCannotWork(UnaryOperator<IdLayoutBuilder> choice, String fields) {
        IdLayoutBuilder builder = choice.apply(IdLayout.builder());

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(builder::build)
            .withMessageContainingAll(fields.split(" \\| "));
    }

    static Stream<Arguments> refusesWhatCannotWork() {
        return Stream.of(choice((b) -> b.workerBits(6).sequenceBits(10), "shard-bits=11 | worker-bits=6"),
                choice((b) -> b.timeBits(41), "shard-bits=11 | worker-bits=7"),
                choice((b) -> b.shardBits(31), "[0, 30] | shard-bits=31"),
                choice((b) -> b.shardBits(-1), "[0, 30] | shard-bits=-1"),
                choice((b) -> b.workerBits(31), "[0, 30] | worker-bits=31"),
                choice((b) -> b.workerBits(-1), "[0, 30] | worker-bits=-1"),
                choice((b) -> b.sequenceBits(31), "[0, 30] | sequence-bits=31"),
                choice((b) -> b.sequenceBits(Integer.MIN_VALUE), "[0, 30] | sequence-bits=-2147483648"),
                choice((b) -> b.timeBits(0), "[1, 52] | time-bits=0"),
                choice((b) -> b.timeBits(53), "[1, 52] | time-bits=53"),
                choice((b) -> b.timeBits(43).tick(Duration.ofSeconds(1)), "[1, 42] | time-bits=43"),
                choice((b) -> b.timeBits(63).tick(Duration.ofNanos(1000)), "[1, 62] | time-bits=63"),
                choice((b) -> b.tick(Duration.ZERO), "[1us, 1s] | tick=0s"),
                choice((b) -> b.tick(Duration.ofNanos(999)), "[1us, 1s] | tick=999ns"),
                choice((b) -> b.tick(Duration.ofNanos(1500)), "[1us, 1s] | tick=1500ns"),
                choice((b) -> b.tick(Duration.ofSeconds(1).plusNanos(1000)), "[1us, 1s] | tick=1000001us"),
                choice((b) -> b.tick(Duration.ofSeconds(Long.MAX_VALUE)), "[1us, 1s] | tick=9223372036854775807s"),
                choice((b) -> b.epoch(Instant.parse("2025-01-01T00:00:00.000000001Z")),
                        "epoch=2025-01-01T00:00:00.000000001Z"),
                choice((b) -> b.epoch(Instant.parse("0000-12-31T23:59:59Z")),
                        "[0001-01-01T00:00:00Z, 9999-12-31T23:59:59Z] | epoch=0000-12-31T23:59:59Z"),
                choice((b) -> b.epoch(Instant.MIN),
                        "[0001-01-01T00:00:00Z, 9999-12-31T23:59:59Z] | epoch=-1000000000-01-01T00:00:00Z"),
                choice((b) -> b.order(), "[SHARD, WORKER, SEQUENCE] | order=[]"),
                choice((b) -> b.order(IdField.SHARD, IdField.WORKER),
                        "[SHARD, WORKER, SEQUENCE] | order=[SHARD, WORKER]"),
                choice((b) -> b.order(IdField.SHARD, IdField.WORKER, IdField.SEQUENCE, IdField.SHARD),
                        "[SHARD, WORKER, SEQUENCE] | order=[SHARD, WORKER, SEQUENCE, SHARD]"),
                choice((b) -> b.order(IdField.SHARD, IdField.WORKER, IdField.WORKER),
                        "[SHARD, WORKER, SEQUENCE] | order=[SHARD, WORKER, WORKER]"));
    }

    private static Arguments choice(UnaryOperator<IdLayoutBuilder> choice, String fields) {
        return arguments(choice, fields);
    }

    @ParameterizedTest
    @CsvSource({ "1, 62, 0, 0, 1", "1, 33, 30, 0, 0", "1, 3, 30, 30, 0", "1, 3, 0, 30, 30", "1000, 52, 11, 0, 0",
            "1000000, 42, 21, 0, 0", "1, 1, 0, 0, 0" })
    void acceptsTheWidestFields(long tickMicros, int time, int shard, int worker, int sequence) {
        IdLayout layout = IdLayout.builder()
            .tick(Duration.ofNanos(tickMicros * 1000))
            .timeBits(time)
            .shardBits(shard)
            .workerBits(worker)
            .sequenceBits(sequence)
            .build();
        int lastShard = (int) ((1L << shard) - 1);
        int lastWorker = (int) ((1L << worker) - 1);
        int lastSequence = (int) ((1L << sequence) - 1);

        long id = layout.compose(layout.lastTick(), lastShard, lastWorker, lastSequence);

        assertThat(id).isEqualTo(layout.lastId()).isPositive();
        assertThat(layout.parse(id))
            .isEqualTo(new IdParts(layout.lastUsableInstant(), lastShard, lastWorker, lastSequence));
    }

    @Test
    void refusesEachFieldOneBeyondEachWidth() {
        for (int bits = 0; bits <= 30; bits++) {
            IdLayout layout = IdLayout.builder().timeBits(33).shardBits(bits).workerBits(0).sequenceBits(0).build();
            long last = (1L << bits) - 1;
            assertThat(layout.shardOf(layout.compose(7, (int) last, 0, 0))).isEqualTo((int) last);
            assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> layout.compose(7, (int) (last + 1), 0, 0))
                .withMessageContainingAll("[0, " + last + "]", "shard=" + (last + 1));
        }
    }

}
