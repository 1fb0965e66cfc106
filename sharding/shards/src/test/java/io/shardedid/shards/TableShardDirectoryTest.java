package io.shardedid.shards;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
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

/** What a router knows of the map, and what it tells, on a clock that is set. */
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
        return new TableShardDirectory(new TableShardDirectory.Choices("default", "me", 8, initial, databases, REFRESH),
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
    void tellsOfItselfBeforeItReadsAndWhatItHasReadAfterwards() {
        this.directory.run(this.table);
        assertThat(this.table.calls).containsExactly("ensure", "tell 0", "version", "fill", "read", "tell 1");
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
    void looksAtTheVersionAloneAndRenewsItsLeaseAtAThird() {
        opened();
        for (int i = 0; i < 19; i++) {
            look();
        }
        assertThat(this.table.calls).hasSize(19).containsOnly("version");
        this.table.calls.clear();
        look();
        assertThat(this.table.calls).containsExactly("version", "tell 1");
    }

    @Test
    void readsWhatHasChangedAndTellsAfterItsListeners() {
        opened();
        List<String> heard = new ArrayList<>();
        this.directory.onChange((map) -> {
            throw new AssertionError("a broken listener");
        });
        this.directory.onChange((map) -> heard
            .add(map.version() + " " + map + " " + this.directory.current().version() + " " + this.table.calls));
        this.table.put("4", "c");
        this.table.put("5", "c");
        look();
        assertThat(heard).containsExactly("3 0-3: a, 4-5: c, 6-7: b 3 [version, read]");
        assertThat(this.table.calls).containsExactly("version", "read", "tell 3");
        assertThat(this.log.lines()).endsWith("INFO The shard map changed: version 3: 0-3: a, 4-5: c, 6-7: b",
                "WARNING A listener of the shard map failed; the map is in use all the same");
        look();
        assertThat(heard).hasSize(1);
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
        assertThat(this.directory.current()).as("17 minutes later, with its lease renewed").isSameAs(map);
        assertThat(this.table.seen).containsEntry("me", 1L);
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
        MapVersion lost = this.table.told;
        assertThat(lost.number()).isEqualTo(2);
        restore.run();
        assertGoneBack(lost, 1);
        this.table.put("5", "a");
        assertGoneBack(lost, 2);
        this.table.put("6", "a");
        assertGoneBack(lost, 3);
        for (int i = 0; i < 100; i++) {
            look();
        }
        assertThat(this.directory.current()).as("17 minutes later").hasToString("0-4: a, 5-7: b");

        this.table.put("4", "a");
        look();
        assertThat(this.directory.current()).hasToString("0-6: a, 7: b");
        assertThat(this.directory.problem()).isEmpty();
        assertThat(this.table.told).isEqualTo(new MapVersion(4, this.table.identity));
    }

    private void assertGoneBack(MapVersion inUse, long version) {
        look();
        assertThat(this.directory.current()).hasToString("0-4: a, 5-7: b");
        assertThat(this.table.told).as("what it goes by").isEqualTo(inUse);
        assertThat(this.directory.problem()).contains("namespace=default", "shards=[4]", "version=" + version, "use=2",
                "mend");
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
        MapVersion lost = this.table.told;
        restore.run();
        this.table.put("5", "a");
        look();
        assertThat(this.directory.current()).hasToString("0-3: a, 4: b, 5: a, 6-7: b");
        assertThat(this.table.told).isEqualTo(new MapVersion(2, this.table.identity)).isNotEqualTo(lost);
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
        assertThat(this.table.told).isEqualTo(new MapVersion(2, this.table.identity));
    }

    @Test
    void confirmsNoOtherIdentityWhileADatabaseIsUsedThatItDoesNotName() {
        opened();
        Runnable restore = this.table.backup();
        this.table.put("4", "b");
        look();
        MapVersion lost = this.table.told;
        ShardDirectory.Use use = this.directory.use(5);
        restore.run();
        this.table.put("5", "a");
        look();
        assertThat(this.directory.current().databaseOf(5)).isEqualTo("a");
        assertThat(this.table.told).isEqualTo(lost);
        use.close();
        assertThat(this.table.told).isEqualTo(new MapVersion(2, this.table.identity));
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
    void doesNotRouteByAMapThatNobodyKnowsItHas() {
        ShardMap map = opened();
        this.table.fails("version");
        for (int i = 0; i < 57; i++) {
            look();
        }
        assertThat(this.table.calls).containsOnly("version");
        this.table.calls.clear();
        look();
        assertThat(this.table.calls).as("a mover that looks from now on waits").containsExactly("tell 0", "version");
        assertThat(this.directory.current()).as("580 s of a lease of 600 s").isSameAs(map);
        assertThat(this.directory.problem()).isEqualTo("the line is cut");
        assertThat(this.log.lines())
            .containsOnlyOnce("WARNING The shard map could not be read; version 1 stays in use: the line is cut");
        look();
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current)
            .withMessage(
                    "Could not choose a database: the shard map could not be confirmed for 10m, so shards may have "
                            + "moved: namespace=default, version=1 (the line is cut); see the log, and make the database of the "
                            + "shard map reachable");
        this.table.answers();
        this.table.put("0", "b");
        this.table.calls.clear();
        look();
        assertThat(this.table.calls).containsExactly("version", "read", "tell 2");
        assertThat(this.directory.current()).hasToString("0: b, 1-3: a, 4-7: b");
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
            .withMessage("Could not read the shard map: namespace=default (the line is cut); make the database of the "
                    + "shard map reachable, then try again")
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
        asked[0] = new TableShardDirectory(
                new TableShardDirectory.Choices("default", "other", 8, null, Set.of(), REFRESH), this.time, () -> {
                    due.add(asked[0].dueNanos() - this.time.nanoTime());
                    asked[0].run(this.table);
                });
        asked[0].run(this.table);
        assertThat(asked[0].dueNanos() - this.time.nanoTime()).isPositive();
        asked[0].refresh();
        asked[0].routers();
        asked[0].settled();
        asked[0].close();
        assertThat(due).containsExactly(0L, 0L, 0L, 0L);
    }

    /** The keeper ends after a question was asked and before it is answered. */
    @Test
    void aQuestionIsRefusedWhenTheDirectoryEndsFirst() {
        for (Consumer<ShardDirectory> question : questions()) {
            ShardDirectory ending = woken((asked) -> asked.end(this.table));
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
        return List.of(ShardDirectory::refresh, ShardDirectory::routers, ShardDirectory::settled);
    }

    /** A directory that has its map, and whose keeper does as told when it is woken. */
    private TableShardDirectory woken(Consumer<TableShardDirectory> keeper) {
        TableShardDirectory[] woken = new TableShardDirectory[1];
        woken[0] = new TableShardDirectory(
                new TableShardDirectory.Choices("default", "other", 8, ShardMap.parse("0-7: a", 8), Set.of(), REFRESH),
                this.time, () -> keeper.accept(woken[0]));
        woken[0].run(this.table);
        return woken[0];
    }

    @Test
    void listsTheRouters() {
        opened();
        assertThat(this.directory.routers()).containsExactly(new ShardRouter("me", 1, Instant.EPOCH, Instant.EPOCH));
        this.table.fails("routers");
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::routers);
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
    void confirmsNoVersionWhileADatabaseIsUsedThatItDoesNotName() {
        opened();
        ShardDirectory.Use use = this.directory.use(4);
        this.table.put("4", "c");
        look();
        assertThat(this.directory.current()).as("counts for the next use").hasToString("0-3: a, 4: c, 5-7: b");
        assertThat(use.map()).hasToString("0-3: a, 4-7: b");
        assertThat(this.table.calls).containsExactly("version", "read");
        assertThat(this.table.seen).containsEntry("me", 1L);
        this.table.calls.clear();
        for (int i = 0; i < 20; i++) {
            look();
        }
        assertThat(this.table.calls).as("the lease is renewed by the older version").contains("tell 1");
        this.table.calls.clear();
        use.close();
        use.close();
        assertThat(this.table.calls).as("the end of the last use wakes the keeper")
            .containsExactly("version", "tell 2");
    }

    @Test
    void confirmsAtOnceWhereOnlyOtherShardsAreUsed() {
        opened();
        try (ShardDirectory.Use other = this.directory.use(5)) {
            this.table.put("4", "c");
            look();
            assertThat(other.map().version()).isOne();
            assertThat(this.table.seen).containsEntry("me", 2L);
        }
        this.table.calls.clear();
        this.directory.use(4).close();
        assertThat(this.table.calls).isEmpty();
    }

    @Test
    void useOfAllDatabasesIsContradictedByEachMove() {
        opened();
        ShardDirectory.Use all = this.directory.useAll();
        this.table.put("4", "c");
        look();
        assertThat(this.table.seen).containsEntry("me", 1L);
        all.close();
        assertThat(this.table.seen).containsEntry("me", 2L);
    }

    @Test
    void confirmsTheLatestVersionThatNoUseContradicts() {
        opened();
        this.table.put("4", "c");
        look();
        ShardDirectory.Use four = this.directory.use(4);
        this.table.put("5", "c");
        look();
        ShardDirectory.Use five = this.directory.use(5);
        this.table.put("4", "a");
        look();
        assertThat(this.table.seen).as("not 4, which moves 4").containsEntry("me", 3L);
        this.table.put("5", "a");
        look();
        assertThat(this.table.seen).containsEntry("me", 3L);
        four.close();
        assertThat(this.table.seen).as("not 5, which moves 5, and 4 is forgotten").containsEntry("me", 3L);
        five.close();
        assertThat(this.table.seen).containsEntry("me", 5L);
    }

    @Test
    void saysOnceThatAVersionCannotBeConfirmed() {
        opened();
        this.directory.use(4);
        this.directory.use(5);
        this.table.put("4-6", "c");
        for (int i = 0; i < 20; i++) {
            look();
        }
        assertThat(this.log.lines()).containsOnlyOnce(
                "WARNING The shard map is in use, but could not be confirmed: version=2, shards=[4, 5] (transactions, "
                        + "connections or calls for each database that began by version 1 go on, and a mover waits for them); "
                        + "end them, or this process");
    }

    /** The keeper replaces the map after a thread has read it. */
    @Test
    void useThatBeginsWhileTheMapIsReplacedGoesByTheNewOne() {
        opened();
        this.table.put("4", "c");
        this.time.onNextRead(() -> this.directory.run(this.table));
        ShardDirectory.Use use = this.directory.use(4);
        assertThat(this.table.seen).as("no mover waits").containsEntry("me", 2L);
        assertThat(use.map().databaseOf(4)).isEqualTo("c");
    }

    /** A thread that has read the map is stopped before it counts its use. */
    @Test
    void useOfAMapThatIsReplacedMeanwhileBeginsByTheNewOne() throws Exception {
        opened();
        this.keeperIsAway = true;
        this.table.seen = new ConcurrentHashMap<>(this.table.seen);
        AtomicBoolean stop = new AtomicBoolean();
        Thread[] readers = new Thread[4];
        List<String> faults = new CopyOnWriteArrayList<>();
        for (int i = 0; i < readers.length; i++) {
            readers[i] = new Thread(() -> {
                while (!stop.get()) {
                    try (ShardDirectory.Use use = this.directory.use(4)) {
                        long told = this.table.seen.get("me");
                        if (told > use.map().version()) {
                            faults.add(told + " was told while " + use.map().version() + " was used");
                        }
                    }
                }
            });
            readers[i].start();
        }
        for (int i = 0; i < 300; i++) {
            this.table.put("4", "c" + i);
            this.time.advance(LATER);
            this.directory.run(this.table);
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(faults).isEmpty();
        this.time.advance(LATER);
        this.directory.run(this.table);
        assertThat(this.table.seen).containsEntry("me", 301L);
    }

    @Test
    void leavesNoRowBehindThatSaysNothingOfTheUsesThatGoOn() {
        opened();
        this.directory.use(4);
        this.directory.end(this.table);
        assertThat(this.table.seen).as("its lease runs out by itself").containsEntry("me", 1L);
    }

    @Test
    void leavesNoRowBehindThatSaysNothingOfTheUsesOfAnOlderMap() {
        opened();
        this.directory.use(4);
        this.table.put("4", "c");
        look();
        this.directory.end(this.table);
        assertThat(this.table.seen).as("a mover waits for the use").containsEntry("me", 1L);
    }

    /** The monotonic clock stands still while a machine sleeps. */
    @Test
    void doesNotRouteAfterASleepUntilItHasLookedAgain() {
        this.keeperIsAway = true;
        opened();
        this.time.stepWall(Duration.ofSeconds(590));
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current);
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(() -> this.directory.use(4));
        assertThat(this.directory.dueNanos() - this.time.nanoTime()).as("the keeper was woken").isZero();
        assertThat(this.wakes).as("once").isOne();
        this.table.put("4", "c");
        this.directory.run(this.table);
        assertThat(this.table.calls).containsExactly("tell 0", "version", "read", "tell 2");
        assertThat(this.directory.current().databaseOf(4)).isEqualTo("c");
        this.time.stepWall(Duration.ofDays(-1));
        assertThat(this.directory.current().databaseOf(4)).as("the monotonic clock still counts").isEqualTo("c");
    }

    /** A mover may have moved shards since, which a map that cannot be read hides. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void doesNotRenewALeaseThatRanOutByOneOfTheClocksForAMapThatItCannotRead(boolean wall) {
        opened();
        this.keeperIsAway = true;
        for (long second = 0; second < 590; second += LATER.toSeconds()) {
            if (!wall) {
                this.time.advance(LATER);
            }
            this.time.stepWall(wall ? LATER : LATER.negated());
            this.directory.dueNanos();
        }
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current);
        this.table.put("8", "a");
        this.directory.run(this.table);
        assertThat(this.directory.problem()).startsWith("Shard 8 does not exist");
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current);
    }

    /** Somebody may have named it dead, so that no mover has waited for it. */
    @Test
    void aProcessThatStoodStillReadsTheMapBeforeItRoutes() {
        opened();
        this.table.put("4", "c");
        this.time.advance(Duration.ofSeconds(40));
        assertThat(this.directory.current().databaseOf(4)).as("a look that takes long").isEqualTo("b");
        this.time.advance(Duration.ofSeconds(10));
        assertThat(this.directory.current().databaseOf(4)).isEqualTo("c");

        this.table.put("4", "d");
        this.time.stepWall(Duration.ofSeconds(50));
        assertThat(this.directory.use(4).map().databaseOf(4)).as("the machine slept").isEqualTo("d");
    }

    @Test
    void aProcessThatStoodStillDoesNotRouteWhileTheMapCannotBeRead() {
        opened();
        this.time.advance(Duration.ofSeconds(50));
        this.table.fails("version");
        for (int look = 0; look < 3; look++) {
            assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current)
                .withMessage(
                        "Could not read the shard map: namespace=default (the line is cut); make the database of the shard map reachable, then try again");
            look();
        }
        this.table.answers();
        look();
        assertThatNoException().isThrownBy(this.directory::current);
        this.table.fails("version");
        look();
        assertThat(this.directory.current().version()).as("it did not stand still").isOne();
    }

    /** The keeper runs no task while its store does not answer. */
    @Test
    void routesForAsLongAsItsLeaseWhileTheKeeperCannotLook() {
        ShardMap map = opened();
        this.keeperIsAway = true;
        for (int second = 0; second < 585; second++) {
            this.time.advance(Duration.ofSeconds(1));
            this.directory.dueNanos();
            assertThat(this.directory.current()).isSameAs(map);
        }
        assertThat(this.wakes).isZero();
        this.time.advance(Duration.ofSeconds(5));
        this.directory.dueNanos();
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current)
            .withMessageStartingWith("Could not choose a database: the shard map could not be confirmed for 10m");
    }

    /**
     * A mover counts from the moment of the write, which may be long before the answer.
     */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void leaseCountsFromTheQuestionByBothClocks(boolean wall) {
        opened();
        Duration slow = Duration.ofSeconds(30);
        this.table.onTell = () -> {
            this.time.advance(slow);
            this.time.stepWall(wall ? Duration.ZERO : slow.negated());
        };
        while (!this.table.calls.contains("tell 1")) {
            look();
        }
        this.table.onTell = () -> {
        };
        this.keeperIsAway = true;
        for (int second = 0; second < 555; second++) {
            this.time.advance(Duration.ofSeconds(1));
            this.time.stepWall(wall ? Duration.ZERO : Duration.ofSeconds(-1));
            this.directory.dueNanos();
            assertThatNoException().as("second %s", second).isThrownBy(this.directory::current);
        }
        this.time.advance(Duration.ofSeconds(5));
        this.directory.dueNanos();
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(this.directory::current);
    }

    /** The keeper's thread comes first when the process goes on. */
    @Test
    void aKeeperThatStoodStillHidesThatFromNobody() {
        opened();
        this.table.put("4", "c");
        this.time.advance(Duration.ofSeconds(50));
        this.directory.dueNanos();
        assertThat(this.directory.current().databaseOf(4)).isEqualTo("c");

        this.table.put("4", "d");
        this.time.stepWall(Duration.ofSeconds(50));
        this.directory.dueNanos();
        assertThat(this.directory.use(4).map().databaseOf(4)).isEqualTo("d");
    }

    @Test
    void aProcessThatWasNamedDeadReadsTheMapAgain() {
        opened();
        this.table.seen.clear();
        while (!this.table.calls.contains("tell 1")) {
            this.table.calls.clear();
            look();
        }
        assertThat(this.table.calls).containsExactly("version", "tell 1", "version");
    }

    @Test
    void aRefreshReturnsTheMapThatAProcessWhichWasNamedDeadHasReadAgain() {
        opened();
        this.table.seen.clear();
        while (!this.table.calls.contains("tell 1")) {
            this.time.advance(LATER);
            assertThat(this.directory.refresh()).isSameAs(this.directory.current());
        }
        assertThat(this.table.calls).endsWith("version", "tell 1", "version");
    }

    @Test
    void aProcessThatWasNamedDeadDoesNotGoByAMapThatItCannotReadAgain() {
        this.directory = directory(ShardMap.parse("0-3: a, 4-7: b", 8), Set.of("a", "b"));
        opened();
        this.table.put("4", "c");
        look();
        assertThat(this.directory.current().databaseOf(4)).as("a mover waits for it").isEqualTo("b");
        this.table.seen.clear();
        look();
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(this.directory::current);
    }

    @Test
    void leavesWhenItIsClosed() {
        opened();
        this.directory.close();
        assertThat(this.table.calls).containsExactly("leave");
        assertThat(this.table.seen).isEmpty();
        this.directory.close();
        assertThat(this.table.calls).hasSize(1);
        String text = "Could not read the shard map: its directory is closed: namespace=default";
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(this.directory::current).withMessage(text);
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(this.directory::refresh).withMessage(text);
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(this.directory::routers).withMessage(text);
        assertThat(this.directory.run(this.table)).isFalse();
    }

    @Test
    void endsAlsoWhenItsRowStays() {
        opened();
        this.table.fails("leave");
        this.directory.end(this.table);
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(this.directory::refresh);
    }

    @Test
    void refusesToStartWhenItHasEnded() {
        this.directory.end(this.table);
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessage("Could not read the shard map: its directory is closed: namespace=default");
    }

    @Test
    void refusesToStartWithoutAMap() {
        this.directory = directory(null, Set.of());
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessage("There is no shard map: namespace=default, initial-map=null; set "
                    + "'shardedid.databases.initial-map', or 'initial-map' of the sharding algorithm, for example to '0-7: a'");
    }

    @Test
    void refusesToStartWithAHole() {
        this.table.put("0-3", "a");
        this.table.put("7", "a");
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessage("Shards 4-6 have no database in the table of the shard map: namespace=default, version=2 "
                    + "(each shard from 0 to 7 has one database); insert a row for each of them, with the version and "
                    + "the identity that row -1 has");
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
        this.table.fails("tell");
        this.directory.run(this.table);
        assertThatExceptionOfType(ShardMovedException.class).isThrownBy(() -> this.directory.awaitMap(Duration.ZERO))
            .withMessage("Could not read the shard map: namespace=default (no answer within 0s); make the database of "
                    + "the shard map reachable, then try again");
        this.table.answers();
        look();
        assertThat(this.directory.awaitMap(Duration.ZERO)).hasToString("0-3: a, 4-7: b");
    }

    @Test
    void takesTheShortestAndTheLongestTimeBetweenLooks() {
        assertThatNoException()
            .isThrownBy(() -> new TableShardDirectory.Choices("n", "me", 8, null, Set.of(), Duration.ofSeconds(1)));
        assertThatNoException()
            .isThrownBy(() -> new TableShardDirectory.Choices("n", "me", 8, null, Set.of(), Duration.ofMinutes(1)));
    }

    @Test
    void refusesChoicesThatCannotWork() {
        ShardMap map = ShardMap.parse("0-3: a, 4-7: b", 8);
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", "me", 2000, map, Set.of(), REFRESH))
            .withMessage("Shard map must have as many shards as the ids: shards of the map=8, shardedid.shards=2000; "
                    + "read the map with the shards of the ids");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", "me", 8, map, Set.of("a"), REFRESH))
            .withMessageStartingWith("Database 'b' of shards 4-7 is not configured: ");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", "me", 8, map, Set.of(), Duration.ofMillis(999)))
            .withMessage("refresh must be in [1s, 1m]: shardedid.databases.refresh=999ms; correct it");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> new TableShardDirectory.Choices("n", "me", 8, map, Set.of(), Duration.ofSeconds(61)));
    }

}
