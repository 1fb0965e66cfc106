package io.shardedid.move;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Moves of shards between two servers, step by step. */
@Tag("database")
class ShardMoverIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

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

        this.databases.mover().move(ShardRanges.parse("4-7"), "b");

        assertThat(this.databases.query("a",
                "SELECT string_agg(home, '' ORDER BY shard) FROM shardedid_shard WHERE shard BETWEEN 3 AND 8"))
            .isEqualTo("abbbba");
        assertThat(this.databases.rows("b", 7)).isEqualTo(rows);
        assertThat(this.databases.rows("a", 4) + this.databases.rows("a", 7)).isEmpty();
        assertThat(this.databases.rows("a", 3)).isNotEmpty();
        assertThat(this.databases.rows("a", 8)).isNotEmpty();
    }

    @Test
    void movesSeveralRangesAsOneMove() {
        for (int shard : new int[] { 3, 4, 5, 6, 7, 11 }) {
            this.databases.fill("a", shard, 2);
        }
        String rows = this.databases.rows("a", 3) + this.databases.rows("a", 6) + this.databases.rows("a", 11);

        MoveResult result = this.databases.mover().move(ShardRanges.parse("11,3,6-7"), "b");

        assertThat(result.shards()).hasToString("3,6-7,11");
        assertThat(result.version()).as("one version of the map for all of them").isEqualTo(2);
        assertThat(this.databases.query("a",
                "SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM shardedid_shard WHERE home = 'b'"))
            .isEqualTo("3 6 7 9 11");
        assertThat(this.databases.rows("b", 3) + this.databases.rows("b", 6) + this.databases.rows("b", 11))
            .isEqualTo(rows);
        assertThat(this.databases.rows("a", 3) + this.databases.rows("a", 7)).isEmpty();
        assertThat(this.databases.rows("a", 4)).isNotEmpty();
        assertThat(this.databases.rows("a", 5)).isNotEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void takesThePrimaryOfSeveralHosts() {
        this.databases.fill("a", 5, 3);
        Map<String, MoveDatabases.Database> all = new HashMap<>(this.databases.databases().databases());
        all.put("a",
                new MoveDatabases.Database(
                        servers.a.url(this.databases.name()).replace("//127.0.0.1:", "//127.0.0.1:1,127.0.0.1:"),
                        "postgres", "", null));
        MoveResult result = new ShardMover(new MoveDatabases(all, "a", "default", null), TwoDatabases.LIMITS,
                (progress) -> {
                })
            .move(FIVE, "b");
        assertThat(result.outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.rows("b", 5)).isNotEmpty();
    }

    @Test
    void saysThatShardsDoNotExist() {
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> this.databases.mover().move(ShardRanges.parse("99999"), "b"))
            .withMessage(
                    "Shards do not exist: shards=99999, namespace='default' (shards of the map: 20, from 0 to 19); correct them");
    }

    @Test
    void saysNothingOfATokenWithoutAMove() {
        List<String> heard = new ArrayList<>();
        ShardMover mover = new ShardMover(this.databases.databases(), TwoDatabases.LIMITS,
                (progress) -> heard.add(progress.message()));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.abort(FIVE))
            .withMessage("There is no move to abort: shards=5, home=a; see 'shards status'");
        assertThat(heard).isEmpty();
    }

}
