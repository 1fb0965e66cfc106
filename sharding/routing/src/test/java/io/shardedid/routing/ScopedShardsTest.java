package io.shardedid.routing;

import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;

import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardRange;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls for each database, without databases. */
class ScopedShardsTest {

    private final ShardMap map = ShardMap.parse("0-5: a, 6-9: b", 10);

    private ScopedShards shards(Homes homes, Deque<ShardMap> maps) {
        ShardBindings bindings = new ShardBindings(RoutingGuard.OFF, homes, new CrossShardCalls());
        return new ScopedShards(bindings, () -> {
            throw new AssertionError("no id is needed");
        }, () -> (maps.size() > 1) ? maps.pop() : maps.peek(), ShardBindingsTest.NoTransactions::new,
                (row) -> OptionalInt.empty());
    }

    /** Another thread is at work until the caller has begun to wait. */
    @Test
    void callerThatIsInterruptedWaitsAndStaysInterrupted() {
        Thread caller = Thread.currentThread();
        Homes homes = new TwoDatabases() {
            @Override
            public Consumer<Collection<? extends Runnable>> sideBySide() {
                return (tasks) -> {
                    caller.interrupt();
                    new Thread(() -> {
                        while (caller.isInterrupted()) {
                            Thread.onSpinWait();
                        }
                        tasks.forEach(Runnable::run);
                    }).start();
                };
            }
        };

        Map<String, Integer> results = shards(homes, new ArrayDeque<>(List.of(this.map))).inEach(() -> 1);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(results).isEqualTo(Map.of("a", 1, "b", 1));
    }

    @Test
    void mergeTellsOfDatabasesThatWereAwayInItsLastReadAlone() {
        ShardMap changed = this.map.with(ShardRange.parse("5"), "b");
        Deque<Runnable> reads = new ArrayDeque<>(List.of(() -> {
        }, () -> {
            throw new DataAccessResourceFailureException("b", new SQLTransientConnectionException("is away"));
        }));
        List<String> away = new ArrayList<>();

        List<String> merged = shards(new TwoDatabases(), new ArrayDeque<>(List.of(this.map, changed)))
            .merge(Comparator.naturalOrder(), 10, () -> {
                if (!reads.isEmpty()) {
                    reads.pop().run();
                }
                return List.of("row");
            }, (database, failure) -> away.add(database));

        assertThat(reads).isEmpty();
        assertThat(merged).containsExactly("row", "row");
        assertThat(away).isEmpty();
    }

    /** The names of two databases. */
    private static class TwoDatabases implements Homes {

        @Override
        public List<String> names() {
            return List.of("a", "b");
        }

    }

}
