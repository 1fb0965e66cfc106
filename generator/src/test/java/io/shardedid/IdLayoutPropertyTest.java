package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What holds for every layout: any order, tick, widths and epoch.
 */
class IdLayoutPropertyTest {

    private static final int IDS = 20;

    private final Seed seed = Seed.ofThisRun();

    @Test
    void partsComeBackAndIdsOrderAsTimeThenFields() {
        checkLayouts(5_000);
    }

    @Test
    @Tag("proof")
    @Tag("nightly")
    void partsComeBackAndIdsOrderAsTimeThenFieldsInManyLayouts() {
        checkLayouts(200_000);
    }

    private void checkLayouts(int layouts) {
        Random random = this.seed.random();
        for (int i = 0; i < layouts; i++) {
            IdLayout layout = anyLayout(random);
            check(layout, layout::compose, random);
        }
    }

    @Test
    void findsATimeThatReachesTheSignBit() {
        IdLayout layout = IdLayout.standard();
        Packing fortyOneTimeBits = (tick, shard, worker, sequence) -> layout.pack(tick + (1L << 40), shard, worker,
                sequence);

        assertFound(layout, fortyOneTimeBits, "negative");
    }

    @Test
    void findsAFieldShiftedAsAnInt() {
        IdLayout layout = IdLayout.builder()
            .timeBits(20)
            .order(IdField.SEQUENCE, IdField.SHARD, IdField.WORKER)
            .sequenceBits(13)
            .shardBits(20)
            .workerBits(10)
            .build();
        Packing intShift = (tick, shard, worker, sequence) -> layout.pack(tick, 0, worker, sequence) | shard << 10
                | sequence << 30;

        assertFound(layout, intShift, "");
    }

    @Test
    void findsFieldsThatOverlap() {
        IdLayout layout = IdLayout.standard();
        Packing workerOneTooHigh = (tick, shard, worker, sequence) -> layout.pack(tick, shard, 0, sequence)
                | (long) worker << 6;

        assertFound(layout, workerOneTooHigh, "parsed");
    }

    @Test
    void findsTimeBelowTheShard() {
        IdLayout layout = IdLayout.standard();
        Packing shardOnTop = (tick, shard, worker, sequence) -> (long) shard << 50 | tick << 10 | (long) worker << 5
                | sequence;

        assertFound(layout, shardOnTop, "");
    }

    private void assertFound(IdLayout layout, Packing broken, String text) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            Random random = this.seed.random();
            for (int i = 0; i < 100; i++) {
                check(layout, broken, random);
            }
        }).withMessageContaining(text).withMessageContaining(this.seed.toString());
    }

    private void check(IdLayout layout, Packing packing, Random random) {
        Parts last = null;
        long lastId = 0;
        for (int i = 0; i < IDS; i++) {
            Parts parts = Parts.any(layout, random, last);
            long id = packing.compose(parts.tick, parts.shard, parts.worker, parts.sequence);
            check(id >= 0, "negative", layout, parts, id);
            check(Parts.of(layout, id).equals(parts), "parsed", layout, parts, id);
            Instant instant = layout.epoch().plus(layout.tick().multipliedBy(parts.tick));
            check(layout.parse(id).equals(new IdParts(instant, parts.shard, parts.worker, parts.sequence)), "parts",
                    layout, parts, id);
            IdWindow bounds = IdWindow.between(layout, instant, instant.plus(layout.tick()));
            check(bounds.firstId() <= id && id <= bounds.lastId(), "bounds", layout, parts, id);
            if (last != null) {
                check(Long.signum(Long.compare(lastId, id)) == last.compareTo(parts, layout), "order", layout, parts,
                        id);
            }
            last = parts;
            lastId = id;
        }
    }

    private void check(boolean holds, String what, IdLayout layout, Parts parts, long id) {
        if (!holds) {
            assertThat(holds).as("%s: id=%s, parts=%s, layout=%s, %s", what, id, parts, layout, this.seed).isTrue();
        }
    }

    static IdLayout anyLayout(Random random) {
        long tickMicros = random.nextBoolean() ? (long) Math.pow(10, random.nextInt(7)) : 1 + random.nextInt(1_000_000);
        int mostTimeBits = 62 - (64 - Long.numberOfLeadingZeros(tickMicros - 1));
        int time = 1 + random.nextInt(mostTimeBits);
        int left = 63 - time;
        int[] widths = new int[3];
        for (int i = 0; i < 3; i++) {
            widths[i] = random.nextInt(Math.min(30, left) + 1);
            left -= widths[i];
        }
        List<IdField> order = new ArrayList<>(List.of(IdField.values()));
        Collections.shuffle(order, random);
        return IdLayout.builder()
            .tick(Duration.ofNanos(tickMicros * 1000))
            .epoch(Instant.EPOCH.plusSeconds(random.nextInt()).plusNanos(random.nextInt(1_000_000) * 1000L))
            .timeBits(time)
            .shardBits(widths[0])
            .workerBits(widths[1])
            .sequenceBits(widths[2])
            .order(order.toArray(IdField[]::new))
            .build();
    }

    private interface Packing {

        long compose(long tick, int shard, int worker, int sequence);

    }

    private record Parts(long tick, int shard, int worker, int sequence) {

        /** Any parts, some of them at a bound, some of them those before. */
        static Parts any(IdLayout layout, Random random, Parts before) {
            return new Parts(any(random, layout.timeBits(), (before != null) ? before.tick : 0),
                    (int) any(random, layout.shardBits(), (before != null) ? before.shard : 0),
                    (int) any(random, layout.workerBits(), (before != null) ? before.worker : 0),
                    (int) any(random, layout.sequenceBits(), (before != null) ? before.sequence : 0));
        }

        private static long any(Random random, int bits, long before) {
            long last = (1L << bits) - 1;
            return switch (random.nextInt(5)) {
                case 0 -> 0;
                case 1 -> last;
                case 2, 3 -> before;
                default -> random.nextLong() & last;
            };
        }

        static Parts of(IdLayout layout, long id) {
            return new Parts(layout.tickOf(id), layout.shardOf(id), layout.workerOf(id), layout.parse(id).sequence());
        }

        int compareTo(Parts other, IdLayout layout) {
            int order = Long.compare(this.tick, other.tick);
            for (IdField field : layout.order()) {
                order = (order != 0) ? order : Integer.compare(value(field), other.value(field));
            }
            return Integer.signum(order);
        }

        private int value(IdField field) {
            return switch (field) {
                case SHARD -> this.shard;
                case WORKER -> this.worker;
                case SEQUENCE -> this.sequence;
            };
        }

    }

}
