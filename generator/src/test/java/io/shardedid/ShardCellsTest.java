package io.shardedid;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardCellsTest {

    private static final long FLOOR = 64;

    private static final long LIMIT = 128;

    private final ShardCells cells = new ShardCells(3, -1);

    @Test
    void cellKeepsToTheRules() throws Exception {
        assertThat(new CellRules(() -> real(new ShardCells(1, -1))).broken()).isEmpty();
    }

    @Test
    void cellKeepsToTheRulesWhenManyAreClaimedAtOnce() throws Exception {
        assertThat(new CellRules(() -> manyAtOnce(new ShardCells(1, -1))).broken()).isEmpty();
    }

    @Test
    void freshCellStartsAtStart() {
        assertThat(this.cells.claim(1, FLOOR, 70, LIMIT)).isEqualTo(70);
        assertThat(this.cells.claim(1, FLOOR, 70, LIMIT)).isEqualTo(71);
        assertThat(this.cells.claim(2, 0, 0, LIMIT)).isZero();
    }

    @Test
    void cellBelowTheFloorStartsAgainAndOneAboveGoesOn() {
        this.cells.claim(1, FLOOR, FLOOR, LIMIT);

        assertThat(this.cells.claim(1, 96, 100, LIMIT)).isEqualTo(100);
        assertThat(this.cells.claim(1, FLOOR, FLOOR, LIMIT)).isEqualTo(101);
    }

    @Test
    void lastValueIsTheOneBelowTheLimit() {
        assertThat(this.cells.claim(1, FLOOR, 127, LIMIT)).isEqualTo(127);
        assertThat(this.cells.claim(1, FLOOR, FLOOR, LIMIT)).isEqualTo(ShardCells.NO_CLAIM);
        assertThat(this.cells.claim(2, LIMIT, LIMIT, LIMIT)).isEqualTo(ShardCells.NO_CLAIM);
        assertThat(this.cells.claim(2, FLOOR, FLOOR, FLOOR + 1)).as("not touched by the refusal").isEqualTo(FLOOR);
    }

    @Test
    void manyAreCutAtTheLimit() {
        assertThat(this.cells.claim(1, FLOOR, 100, LIMIT, 20)).isEqualTo(100);
        assertThat(this.cells.claim(1, FLOOR, FLOOR, LIMIT, 20)).isEqualTo(120);
        assertThat(this.cells.claim(1, FLOOR, FLOOR, LIMIT, 20)).isEqualTo(ShardCells.NO_CLAIM);
        assertThat(this.cells.claim(1, FLOOR, FLOOR, 129)).isEqualTo(128);
        assertThat(this.cells.claim(2, FLOOR, FLOOR, LIMIT, Integer.MAX_VALUE)).isEqualTo(FLOOR);
        assertThat(this.cells.highest()).isEqualTo(128);
    }

    @Test
    void neighboursAreIndependent() {
        this.cells.claim(1, FLOOR, FLOOR, LIMIT, 64);

        assertThat(this.cells.claim(0, FLOOR, FLOOR, LIMIT)).isEqualTo(FLOOR);
        assertThat(this.cells.claim(2, FLOOR, FLOOR, LIMIT)).isEqualTo(FLOOR);
    }

    @Test
    void cellsThatGoOnStartAboveTheLastValue() {
        ShardCells after = new ShardCells(2, 99);

        assertThat(after.claim(0, FLOOR, FLOOR, LIMIT)).isEqualTo(100);
        assertThat(after.poison()).isEqualTo(100);
    }

    @Test
    void whereCellsGoOnIsNoClaim() {
        ShardCells after = new ShardCells(2, 99);

        assertThat(after.poison()).isEqualTo(-1);
    }

    @Test
    void poisonTellsTheHighestClaimAndEndsEveryCell() {
        this.cells.claim(0, FLOOR, 100, LIMIT);
        this.cells.claim(2, FLOOR, 90, LIMIT);

        assertThat(this.cells.poison()).isEqualTo(100);
        assertThat(this.cells.poison()).as("again").isEqualTo(-1);
        assertThat(this.cells.highest()).isEqualTo(-1);
        for (int shard = 0; shard < 3; shard++) {
            long widest = 1L << ShardCells.MAX_BITS;
            assertThat(this.cells.claim(shard, FLOOR, FLOOR, widest)).isEqualTo(ShardCells.NO_CLAIM);
            assertThat(this.cells.claim(shard, widest - 1, widest - 1, widest, Integer.MAX_VALUE))
                .isEqualTo(ShardCells.NO_CLAIM);
        }
    }

    @Test
    void rulesFindAClaimThatIsNotAtomic() throws Exception {
        assertFound("gives each value once", () -> new BrokenCell() {
            @Override
            boolean swap(long seen, long next) {
                if (next % 64 == 0) {
                    Thread.yield();
                }
                this.value.set(next);
                return true;
            }
        });
    }

    @Test
    void rulesFindAMissingLimit() throws Exception {
        assertFound("stays below the limit", () -> new BrokenCell() {
            @Override
            boolean within(long next, long limit) {
                return next < ShardCells.POISON;
            }
        });
    }

    @Test
    void rulesFindALimitThatIncludesItsEnd() throws Exception {
        assertFound("stays below the limit", () -> new BrokenCell() {
            @Override
            boolean within(long next, long limit) {
                return next <= limit;
            }
        });
    }

    @Test
    void rulesFindAMissingCarry() throws Exception {
        assertFound("increases", () -> new BrokenCell() {
            @Override
            long after(long seen) {
                long mask = (1 << CellRules.SEQUENCE_BITS) - 1;
                return seen & ~mask | seen + 1 & mask;
            }
        });
    }

    @Test
    void rulesFindASpentSequenceThatRefusesInsteadOfCarrying() throws Exception {
        assertFound("carries on up to the limit", () -> new BrokenCell() {
            @Override
            boolean within(long next, long limit) {
                return next < limit && (next & (1 << CellRules.SEQUENCE_BITS) - 1) != 7;
            }
        });
    }

    @Test
    void rulesFindACellThatFollowsTheClockBack() throws Exception {
        assertFound("increases", () -> new BrokenCell() {
            @Override
            boolean behind(long seen, long floor) {
                return seen >>> CellRules.SEQUENCE_BITS != floor >>> CellRules.SEQUENCE_BITS;
            }
        });
    }

    @Test
    void rulesFindAMissingPoison() throws Exception {
        assertFound("claims nothing after the poison", () -> new BrokenCell() {
            @Override
            public long poison() {
                return this.value.get();
            }
        });
    }

    @Test
    void rulesFindAPoisonThatReadsAndThenWrites() throws Exception {
        assertFound("tells the highest claim when it is poisoned", () -> new BrokenCell() {
            @Override
            public long poison() {
                long seen = this.value.get();
                Thread.yield();
                this.value.set(ShardCells.POISON);
                return seen;
            }
        });
    }

    private static void assertFound(String rule, Supplier<CellRules.Cell> broken) throws Exception {
        assertThat(new CellRules(broken).broken()).contains(rule);
    }

    private static CellRules.Cell real(ShardCells cells) {
        return new CellRules.Cell() {
            @Override
            public long claim(long floor, long start, long limit) {
                return cells.claim(0, floor, start, Math.min(limit, 1L << ShardCells.MAX_BITS));
            }

            @Override
            public long poison() {
                return cells.poison();
            }
        };
    }

    private static CellRules.Cell manyAtOnce(ShardCells cells) {
        return new CellRules.Cell() {
            @Override
            public long claim(long floor, long start, long limit) {
                return cells.claim(0, floor, start, Math.min(limit, 1L << ShardCells.MAX_BITS), 1);
            }

            @Override
            public long poison() {
                return cells.poison();
            }
        };
    }

    /** A cell that has every guard but the one that a subclass breaks. */
    private static class BrokenCell implements CellRules.Cell {

        final AtomicLong value = new AtomicLong(-1);

        @Override
        public long claim(long floor, long start, long limit) {
            while (true) {
                long seen = this.value.get();
                long next = behind(seen, floor) ? start : after(seen);
                if (!within(next, limit)) {
                    return ShardCells.NO_CLAIM;
                }
                if (swap(seen, next)) {
                    return next;
                }
            }
        }

        boolean behind(long seen, long floor) {
            return seen < floor;
        }

        long after(long seen) {
            return seen + 1;
        }

        boolean within(long next, long limit) {
            return next < limit;
        }

        boolean swap(long seen, long next) {
            return this.value.compareAndSet(seen, next);
        }

        @Override
        public long poison() {
            return this.value.getAndSet(ShardCells.POISON);
        }

    }

}
