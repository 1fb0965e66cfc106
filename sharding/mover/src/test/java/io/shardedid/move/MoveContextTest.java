package io.shardedid.move;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.test.TestClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

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

}
