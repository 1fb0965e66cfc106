package io.shardedid.move;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.shards.ShardRange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Moves of shards between two servers, step by step. */
@Tag("database")
class ShardMoverIT {

    private static final ShardRange FIVE = ShardRange.parse("5");

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
    }

    @Test
    void movesAShardWithAllItsRows() {
        this.databases.fill("a", 5, 3);
        this.databases.fill("a", 6, 2);
        String rows = this.databases.rows("a", 5);

        List<MoveStep> steps = new ArrayList<>();
        MoveResult result = new ShardMover(this.databases.databases(), TwoDatabases.LIMITS,
                (progress) -> steps.add(progress.step()))
            .move(FIVE, "b");

        assertThat(result.outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(result.rows()).isEqualTo(9);
        assertThat(result.version()).isEqualTo(2);
        assertThat(result.pause()).isPositive();
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(this.databases.rows("a", 6)).isNotEmpty();
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThat(this.databases.home(6)).isEqualTo("a");
        assertThat(this.databases.state("a", 5)).isEqualTo("moved");
        assertThat(this.databases.state("b", 5)).isEqualTo("here");
        assertThat(this.databases.leftovers()).isEmpty();
        assertThat(steps.stream().distinct()).containsSubsequence(MoveStep.TAKE_OVER, MoveStep.ARRIVE, MoveStep.PUBLISH,
                MoveStep.COPY, MoveStep.FENCE, MoveStep.COMPARE, MoveStep.COUNTER, MoveStep.SWITCH, MoveStep.CLEAN,
                MoveStep.EMPTY);
    }

    @Test
    void doesNothingWhenAFinishedCommandIsRepeated() {
        this.databases.fill("a", 5, 3);
        this.databases.mover().move(FIVE, "b");
        String rows = this.databases.rows("b", 5);

        MoveResult again = this.databases.mover().move(FIVE, "b");

        assertThat(again.outcome()).isEqualTo(MoveResult.Outcome.ALREADY_THERE);
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessage("There is no move to resume: shards=5, home=b; see 'shards status'");
    }

    @Test
    void movesBackAndForth() {
        this.databases.fill("a", 5, 3);
        String rows = this.databases.rows("a", 5);
        this.databases.mover().move(FIVE, "b");
        this.databases.mover().move(FIVE, "a");

        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
        assertThat(this.databases.rows("b", 5)).isEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void movesARangeThroughOneSlot() {
        for (int shard = 3; shard < 9; shard++) {
            this.databases.fill("a", shard, 2);
        }
        String rows = this.databases.rows("a", 7);

        this.databases.mover().move(ShardRange.parse("4-7"), "b");

        assertThat(this.databases.query("a",
                "SELECT string_agg(home, '' ORDER BY shard) FROM shardedid_shard WHERE shard BETWEEN 3 AND 8"))
            .isEqualTo("abbbba");
        assertThat(this.databases.rows("b", 7)).isEqualTo(rows);
        assertThat(this.databases.rows("a", 4) + this.databases.rows("a", 7)).isEmpty();
        assertThat(this.databases.rows("a", 3)).isNotEmpty();
        assertThat(this.databases.rows("a", 8)).isNotEmpty();
    }

}
