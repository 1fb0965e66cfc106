package io.shardedid.move;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.TimeSource;
import io.shardedid.shards.ShardRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a person hears of a step that takes long. */
class MoveContextTest {

    private final List<Long> heard = new ArrayList<>();

    private final Time time = new Time();

    @Test
    void tellsOfCopiedRowsOnceASecond() {
        MoveDatabases databases = new MoveDatabases(
                Map.of("a", new MoveDatabases.Database("jdbc:postgresql://db.example/photos", "", "", null)), "a",
                "default", null);
        try (MoveContext context = new MoveContext(databases, MoveLimits.defaults(), ShardRange.parse("5"),
                (progress) -> this.heard.add(progress.copiedRows()), (database, sql) -> {
                }, this.time)) {
            context.enter(MoveStep.COPY, "begins");
            for (int looks = 1; looks <= 150; looks++) {
                this.time.park(20_000_000);
                context.tellCopied(looks, "goes on");
            }
        }
        assertThat(this.heard).containsExactly(0L, 50L, 100L, 150L);
    }

    /** Goes on when somebody waits. */
    private static final class Time extends TimeSource {

        private long nanos;

        @Override
        public long nanoTime() {
            return this.nanos;
        }

        @Override
        public long epochNanos() {
            return this.nanos;
        }

        @Override
        public void park(long waited) {
            this.nanos += waited;
        }

    }

}
