package io.shardedid.shards;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.shardedid.LoggedLines;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** What a router knows of the map, on a clock that is set. */
class TableShardDirectoryTest {

    private static final Duration REFRESH = Duration.ofSeconds(8);

    /** More than a refresh with its jitter. */
    private static final Duration LATER = Duration.ofSeconds(10);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final FakeShardTable table = new FakeShardTable();

    private final LoggedLines log = new LoggedLines(TableShardDirectory.class.getName());

    private TableShardDirectory directory = directory(ShardMap.parse("0-3: a, 4-7: b", 8), Set.of());

    @AfterEach
    void endsTheLog() {
        this.log.close();
    }

    /** The keeper does not run when it is woken, so that the test runs it. */
    private volatile boolean keeperIsAway;

    private int wakes;

    private TableShardDirectory directory(@Nullable ShardMap initial, Set<String> databases) {
        return new TableShardDirectory(new TableShardDirectory.Choices("default", 8, initial, databases, REFRESH),
                this.time, this::wake);
    }

    private void wake() {
        if (this.keeperIsAway) {
            this.wakes++;
        }
        else {
            this.directory.run(this.table);
        }
    }

    private void look() {
        this.time.advance(LATER);
        assertThat(this.directory.dueNanos() - this.time.nanoTime()).isNegative();
        assertThat(this.directory.run(this.table)).as("goes on").isTrue();
    }

    private ShardMap opened() {
        this.directory.run(this.table);
        ShardMap map = this.directory.awaitMap(Duration.ZERO);
        this.table.calls.clear();
        return map;
    }

    @Test
    void storesTheInitialMapAndReadsIt() {
        this.directory.run(this.table);
        assertThat(this.table.calls).containsExactly("ensure", "version", "fill", "read");
        assertThat(this.directory.current()).hasToString("0-3: a, 4-7: b");
        assertThat(this.directory.current().version()).isOne();
        assertThat(this.directory.awaitMap(Duration.ZERO)).isSameAs(this.directory.current());
        assertThat(this.log.lines()).containsExactly("INFO The shard map was stored, version 1: 0-3: a, 4-7: b");
    }

    @Test
    void theTableCountsAndTheDifferenceIsLogged() {
        this.table.put("0-7", "a");
        this.table.put("2-5", "c");
        assertThat(opened()).hasToString("0-1: a, 2-5: c, 6-7: a");
        assertThat(this.directory.current().version()).isEqualTo(2);
        assertThat(this.log.lines()).singleElement()
            .asString()
            .contains("WARNING", "0-1: a, 2-5: c, 6-7: a", "'shardedid.databases.initial-map'", "0-3: a, 4-7: b");
    }

    @Test
    void saysNothingOfAnInitialMapThatTheTableHas() {
        this.table.put("0-3", "a");
        this.table.put("4-7", "b");
        opened();
        assertThat(this.log.lines()).isEmpty();
    }

    @Test
    void readsWhatHasChanged() {
        opened();
        this.table.put("4", "c");
        this.table.put("5", "c");
        look();
        assertThat(this.directory.current()).hasToString("0-3: a, 4-5: c, 6-7: b");
        assertThat(this.table.calls).containsExactly("version", "read");
        look();
        assertThat(this.log.lines()).containsOnlyOnce("INFO The shard map changed: version 3: 0-3: a, 4-5: c, 6-7: b");
    }

    @Test
    void keepsTheMapAndItsLeaseWhileTheTableHasNoMapThatCanBeUsed() {
        this.directory = directory(ShardMap.parse("0-3: a, 4-7: b", 8), Set.of("a", "b"));
        ShardMap map = opened();
        this.table.put("8", "a");
        assertUnusable(map, "Shard 8 does not exist in the table of the shard map: namespace=default, version=2 "
                + "(each shard from 0 to 7 has one database); start with the number of shards that the table was filled with");
        this.table.homes.remove(8);
        this.table.put("2", "bb");
        assertUnusable(map, "Database 'bb' of shard 2 is not configured: map='0-1: a, 2: bb, 3: a, 4-7: b' "
                + "(configured: 'a', 'b'); correct the name, or add the database, by 'shardedid.databases.bb.url' or as a data source of the sharding rule");
        this.table.version = 0;
        assertUnusable(map,
                "Shard map in the table has no version: namespace=default (row -1 holds it); insert that row again");
        for (int i = 0; i < 100; i++) {
            look();
        }
        assertThat(this.directory.current()).as("17 minutes later: the table answers, and the map in use is right")
            .isSameAs(map);
        this.table.version = 3;
        this.table.put("2", "b");
        look();
        assertThat(this.directory.current()).hasToString("0-1: a, 2: b, 3: a, 4-7: b");
        assertThat(this.directory.problem()).isEmpty();
        assertThat(this.log.lines()).contains("INFO The shard map can be read again");
    }

    /** Its rows are where the lost change has brought them. */
    @Test
    void doesNotFollowAMapByWhichAShardGoesBack() {
        opened();
        Runnable restore = this.table.backup();
        this.table.put("4", "a");
        look();
        restore.run();
        assertGoneBack(1);
        this.table.put("5", "a");
        assertGoneBack(2);
        this.table.put("6", "a");
        assertGoneBack(3);
        for (int i = 0; i < 100; i++) {
            look();
        }
        assertThat(this.directory.current()).as("17 minutes later").hasToString("0-4: a, 5-7: b");

        this.table.put("4", "a");
        look();
        assertThat(this.directory.current()).hasToString("0-6: a, 7: b");
        assertThat(this.directory.problem()).isEmpty();
    }

    private void assertGoneBack(long version) {
        look();
        assertThat(this.directory.current()).hasToString("0-4: a, 5-7: b");
        assertThat(this.directory.problem()).contains("namespace=default", "shards=[4]", "version=" + version, "use=2",
                "correct");
        assertThat(this.log.lines())
            .endsWith("WARNING The shard map could not be read; version 2 stays in use: " + this.directory.problem());
    }

    /** Its versions say nothing about the map that stays in use. */
    @Test
    void readsALaterMapThanThatInUseAfterOneThatWasRefused() {
        this.directory = directory(ShardMap.parse("0-3: a, 4-7: b", 8), Set.of("a", "b"));
        opened();
        Runnable restore = this.table.backup();
        this.table.put("4", "c");
        look();
        assertThat(this.directory.problem()).startsWith("Database 'c' of shard 4 is not configured");
        restore.run();
        this.table.put("4", "a");
        look();
        assertThat(this.directory.problem()).isEmpty();
        assertThat(this.directory.current()).hasToString("0-4: a, 5-7: b");
    }

    @Test
    void readsAMapWithTheVersionThatItKnowsAndAnotherIdentity() {
        opened();
        Runnable restore = this.table.backup();
        this.table.put("4", "b");
        look();
        restore.run();
        this.table.put("5", "a");
        look();
        assertThat(this.directory.current()).hasToString("0-3: a, 4: b, 5: a, 6-7: b");
    }

    @Test
    void readsAnOlderMapByWhichNoShardGoesBack() {
        opened();
        Runnable restore = this.table.backup();
        this.table.put("4", "a");
        this.table.put("4", "b");
        look();
        restore.run();
        this.table.put("5", "a");
        look();
        assertThat(this.directory.current()).hasToString("0-3: a, 4: b, 5: a, 6-7: b");
    }

    private void assertUnusable(ShardMap map, String problem) {
        look();
        assertThat(this.directory.current()).isSameAs(map);
        assertThat(this.directory.problem()).isEqualTo(problem);
        look();
        assertThat(this.log.lines())
            .containsOnlyOnce("WARNING The shard map could not be read; version 1 stays in use: " + problem);
    }

    @Test
    void looksAtTheVersionAlone() {
        opened();
        look();
        look();
        assertThat(this.table.calls).containsExactly("version", "version");
    }

    /** A mover may have deleted the rows of a shard where the map says they are. */
    @Test
    void routesNothingByAMapThatItCouldNotReadForTenMinutes() {
        ShardMap map = opened();
        this.table.fails("version");
        for (int i = 0; i < 59; i++) {
            look();
        }
        assertThat(this.directory.current()).as("590 s later").isSameAs(map);
        assertThat(this.directory.problem()).isEqualTo("the line is cut");
        look();
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current)
            .withMessageContaining("10m")
            .withMessageContaining("the line is cut")
            .satisfies((ex) -> assertThat(ex.retryable()).isTrue());
        this.table.answers();
        this.table.put("0", "b");
        look();
        assertThat(this.directory.current()).hasToString("0: b, 1-3: a, 4-7: b");
    }

    /** It routes nothing, not even once, before it has looked: by either clock. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void routesNothingAfterAStandstillUntilItHasLooked(boolean wall) {
        this.keeperIsAway = true;
        opened();
        if (wall) {
            this.time.stepWall(Duration.ofMinutes(10));
        }
        else {
            this.time.advance(Duration.ofMinutes(10));
            this.time.stepWall(Duration.ofMinutes(-10));
        }
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current);
        assertThat(this.directory.dueNanos() - this.time.nanoTime()).as("the keeper was woken").isZero();
        assertThat(this.wakes).isPositive();
        this.table.put("8", "a");
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMovedException.class).as("a map that cannot be used")
            .isThrownBy(this.directory::current);
        this.table.homes.remove(8);
        this.table.put("4", "c");
        this.directory.run(this.table);
        assertThat(this.directory.current().databaseOf(4)).isEqualTo("c");
    }

    @Test
    void countsFromBeforeTheQuestion() {
        opened();
        this.table.onVersion = () -> this.time.advance(Duration.ofSeconds(30));
        look();
        this.table.onVersion = () -> {
        };
        this.time.advance(Duration.ofSeconds(569));
        assertThatNoException().isThrownBy(this.directory::current);
        this.time.advance(Duration.ofSeconds(1));
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current);
    }

    @Test
    void notesTheDatabaseBehindANameOnce() {
        opened();
        assertThat(this.directory.note("a", "one")).isEqualTo("one");
        assertThat(this.directory.note("a", "two")).isEqualTo("one");
        this.table.fails("note");
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(() -> this.directory.note("a", "one"));
    }

    @Test
    void looksAgainSoonAfterAFailureThenMoreAndMoreSeldom() {
        opened();
        this.table.fails("version");
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            look();
            pauses.add(this.directory.dueNanos() - this.time.nanoTime());
        }
        assertThat(Duration.ofNanos(pauses.get(0))).isBetween(Duration.ofMillis(200), Duration.ofMillis(300));
        assertThat(Duration.ofNanos(pauses.get(3))).isBetween(Duration.ofMillis(1600), Duration.ofMillis(2400));
        assertThat(Duration.ofNanos(pauses.get(7))).isBetween(Duration.ofMillis(6400), Duration.ofMillis(9600));
    }

    @Test
    void refreshesAtOnce() {
        opened();
        this.table.put("4", "c");
        assertThat(this.directory.refresh()).hasToString("0-3: a, 4: c, 5-7: b").isSameAs(this.directory.current());
        this.table.fails("version");
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::refresh)
            .withMessageContainingAll("namespace=default", "the line is cut", "reachable")
            .withCauseInstanceOf(SQLTransientException.class);
        this.table.fails("version", new ShardMapException("the table is gone"));
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(this.directory::refresh)
            .withMessage("the table is gone");
        this.table.fails("version", new OutOfMemoryError("full"));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.directory::refresh);
        this.table.answers();
        assertThatNoException().isThrownBy(this.directory::refresh);
    }

    @Test
    void aQuestionMakesALookDue() {
        opened();
        assertThat(this.directory.dueNanos() - this.time.nanoTime()).isPositive();
        TableShardDirectory[] asked = new TableShardDirectory[1];
        List<Long> due = new ArrayList<>();
        asked[0] = new TableShardDirectory(new TableShardDirectory.Choices("default", 8, null, Set.of(), REFRESH),
                this.time, () -> {
                    due.add(asked[0].dueNanos() - this.time.nanoTime());
                    asked[0].run(this.table);
                });
        asked[0].run(this.table);
        assertThat(asked[0].dueNanos() - this.time.nanoTime()).isPositive();
        asked[0].refresh();
        asked[0].settled();
        asked[0].close();
        assertThat(due).containsExactly(0L, 0L, 0L);
    }

    /** The keeper ends after a question was asked and before it is answered. */
    @Test
    void aQuestionIsRefusedWhenTheDirectoryEndsFirst() {
        for (Consumer<ShardDirectory> question : questions()) {
            ShardDirectory ending = woken((asked) -> asked.end());
            assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> question.accept(ending))
                .withMessage("Could not read the shard map: its directory is closed: namespace=default");
        }
    }

    @Test
    void aQuestionIsRefusedWhenTheKeeperFailsForGood() {
        OutOfMemoryError full = new OutOfMemoryError("full");
        for (Consumer<ShardDirectory> question : questions()) {
            ShardDirectory failing = woken((asked) -> {
                this.table.fails("version", full);
                assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> asked.run(this.table));
                this.table.answers();
            });
            assertThatExceptionOfType(ShardMovedException.class).isThrownBy(() -> question.accept(failing))
                .withMessageContaining("(full)")
                .withCause(full);
        }
    }

    private static List<Consumer<ShardDirectory>> questions() {
        return List.of(ShardDirectory::refresh, ShardDirectory::settled, (directory) -> directory.note("a", "one"));
    }

    /** A directory that has its map, and whose keeper does as told when it is woken. */
    private TableShardDirectory woken(Consumer<TableShardDirectory> keeper) {
        TableShardDirectory[] woken = new TableShardDirectory[1];
        woken[0] = new TableShardDirectory(
                new TableShardDirectory.Choices("default", 8, ShardMap.parse("0-7: a", 8), Set.of(), REFRESH),
                this.time, () -> keeper.accept(woken[0]));
        woken[0].run(this.table);
        return woken[0];
    }

    @Test
    void listsTheShardsThatNoMoverWorksOn() {
        opened();
        this.table.moving.addAll(List.of(0, 1, 2, 3, 6));
        assertThat(this.directory.settled()).containsOnly(Map.entry(4, "b"), Map.entry(5, "b"), Map.entry(7, "b"));
        assertThat(this.table.calls).containsExactly("version", "settled");
        this.table.fails("settled");
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::settled);
    }

    @Test
    void answersNothingWhenItIsClosed() {
        opened();
        this.directory.close();
        this.directory.close();
        String text = "Could not read the shard map: its directory is closed: namespace=default";
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(this.directory::current).withMessage(text);
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(this.directory::refresh).withMessage(text);
        assertThat(this.directory.run(this.table)).isFalse();
    }

    @Test
    void refusesToStartWhenItHasEnded() {
        this.directory.end();
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessage("Could not read the shard map: its directory is closed: namespace=default");
    }

    @Test
    void refusesToStartWithoutAMap() {
        this.directory = directory(null, Set.of());
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessageContainingAll("namespace=default", "initial-map=null", "set");
    }

    @Test
    void refusesToStartWithAHole() {
        this.table.put("0-3", "a");
        this.table.put("7", "a");
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessageContainingAll("Shards 4-6", "version=2", "insert");
    }

    @Test
    void refusesToStartWithoutAVersion() {
        this.table.put("0-7", "a");
        this.directory = directory(null, Set.of());
        this.table.version = 0;
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessage(
                    "Shard map in the table has no version: namespace=default (row -1 holds it); insert that row again");
    }

    @Test
    void startsWhenTheTableAnswersAtLast() {
        this.table.fails("version");
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessageContainingAll("namespace=default", "within 0s", "reachable");
        this.table.answers();
        look();
        assertThat(this.directory.awaitMap(Duration.ZERO)).hasToString("0-3: a, 4-7: b");
    }

    @Test
    void takesTheShortestAndTheLongestTimeBetweenLooks() {
        assertThatNoException()
            .isThrownBy(() -> new TableShardDirectory.Choices("n", 8, null, Set.of(), Duration.ofSeconds(1)));
        assertThatNoException()
            .isThrownBy(() -> new TableShardDirectory.Choices("n", 8, null, Set.of(), Duration.ofMinutes(1)));
    }

    @Test
    void refusesChoicesThatCannotWork() {
        ShardMap map = ShardMap.parse("0-3: a, 4-7: b", 8);
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", 2000, map, Set.of(), REFRESH))
            .withMessageContainingAll("shards of the map=8", "shardedid.shards=2000", "read the map");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", 8, map, Set.of("a"), REFRESH))
            .withMessageStartingWith("Database 'b' of shards 4-7 is not configured: ");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", 8, map, Set.of(), Duration.ofMillis(999)))
            .withMessageContainingAll("[1s, 1m]", "shardedid.databases.refresh=999ms", "correct");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", 8, map, Set.of(), Duration.ofSeconds(61)));
    }

}
