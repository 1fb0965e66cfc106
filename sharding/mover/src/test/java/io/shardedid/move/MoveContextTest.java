package io.shardedid.move;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.test.TestClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a person hears of a step that takes long. */
class MoveContextTest {

    private final List<Long> heard = new ArrayList<>();

    private final TestClock time = TestClock.at(Instant.EPOCH);

    @Test
    void tellsOfCopiedRowsOnceASecond() {
        MoveDatabases databases = new MoveDatabases(
                Map.of("a", new MoveDatabases.Database("jdbc:postgresql://db.example/photos", "", "", null)), "a",
                "default", null);
        try (MoveContext context = new MoveContext(databases, MoveLimits.defaults(), ShardRanges.parse("5"),
                (progress) -> this.heard.add(progress.copiedRows()), (database, sql) -> {
                }, this.time)) {
            context.enter(MoveStep.COPY, "begins");
            for (int looks = 1; looks <= 150; looks++) {
                this.time.advance(Duration.ofMillis(20));
                context.tellCopied(looks, "goes on");
            }
        }
        assertThat(this.heard).containsExactly(0L, 50L, 100L, 150L);
    }

    /** What an earlier mover has copied says nothing about the rate. */
    @Test
    void saysHowLongTheCopyStillTakes() {
        List<MoveProgress> all = new ArrayList<>();
        MoveDatabases databases = new MoveDatabases(
                Map.of("a", new MoveDatabases.Database("jdbc:postgresql://db.example/photos", "", "", null)), "a",
                "default", null);
        try (MoveContext context = new MoveContext(databases, MoveLimits.defaults(), ShardRanges.parse("5"), all::add,
                (database, sql) -> {
                }, this.time)) {
            context.enter(MoveStep.COPY, "begins");
            context.total(1_000_000);
            context.tellCopied(400_000, "goes on");
            this.time.advance(Duration.ofSeconds(10));
            context.tellCopied(600_000, "goes on");
            context.copied(1_000_000);
            context.tell("ends");
            context.enter(MoveStep.MARK, "another step");
        }
        assertThat(all).extracting(MoveProgress::rowsPerSecond).containsExactly(0L, 20_000L, 0L, 0L);
        assertThat(all).extracting(MoveProgress::remaining).containsExactly(null, Duration.ofSeconds(20), null, null);
    }

    /** Of the pause, a tenth for the answer and one for the source to open again. */
    @Test
    void keepsTheTimeInWhichTheSourceOpensAgain() {
        MoveDatabases databases = new MoveDatabases(
                Map.of("a", new MoveDatabases.Database("jdbc:postgresql://db.example/photos", "", "", null)), "a",
                "default", null);
        MoveLimits limits = MoveLimits.defaults().withPause(Duration.ofSeconds(2));
        try (MoveContext context = new MoveContext(databases, limits, ShardRanges.parse("5"), (progress) -> {
        }, (database, sql) -> {
        }, this.time)) {
            assertThat(context.restOfPause("nobody waits")).isEqualTo(limits.patience());
            context.writersWaitSince(this.time.nanoTime());
            this.time.advance(Duration.ofMillis(300));
            assertThat(context.restOfPause("one waits")).isEqualTo(Duration.ofMillis(1300));

            this.time.advance(Duration.ofMillis(1300));
            assertThatExceptionOfType(MoveContext.PauseSpent.class).isThrownBy(() -> context.restOfPause("too slow"));
            context.nobodyIsToWait();
            assertThat(context.restOfPause("nobody waits")).isEqualTo(limits.patience());
        }
    }

}
