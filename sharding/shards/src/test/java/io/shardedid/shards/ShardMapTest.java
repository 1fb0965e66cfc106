package io.shardedid.shards;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import io.shardedid.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardMapTest {

    @Test
    void saysWhichDatabaseHoldsAShard() {
        ShardMap map = ShardMap.parse("0-999: a, 1000-1999: b", 2000);
        assertThat(map.databaseOf(0)).isEqualTo("a");
        assertThat(map.databaseOf(999)).isEqualTo("a");
        assertThat(map.databaseOf(1000)).isEqualTo("b");
        assertThat(map.databaseOf(1999)).isEqualTo("b");
        assertThat(map.shards()).isEqualTo(2000);
        assertThat(map.version()).isZero();
        assertThat(map).hasToString("0-999: a, 1000-1999: b");
    }

    @Test
    void takesRangesInAnyOrderAndSingleShards() {
        ShardMap map = ShardMap.parse("\n 4 : west-2,5-7:east_1 ,0 - 3: west-2 ", 8);
        assertThat(map).hasToString("0-4: west-2, 5-7: east_1");
        assertThat(map.databases()).containsExactly("west-2", "east_1");
        assertThat(map.shardsOf("west-2")).containsExactly(new ShardRange(0, 4));
        assertThat(map.shardsOf("other")).isEmpty();
    }

    @Test
    void changesIntoTheNextVersion() {
        ShardMap map = ShardMap.parse("0-7: a", 8);
        ShardMap changed = map.with(ShardRange.parse("2-3"), "b");
        assertThat(changed).hasToString("0-1: a, 2-3: b, 4-7: a");
        assertThat(changed.version()).isEqualTo(1);
        assertThat(changed.shardsOf("a")).containsExactly(new ShardRange(0, 1), new ShardRange(4, 7));
        assertThat(map).hasToString("0-7: a");
        assertThat(changed.with(new ShardRange(2, 3), "a").sameAs(map)).isTrue();
        assertThat(changed.sameAs(map)).isFalse();
        assertThat(changed.with(new ShardRange(2, 3), "a")).isNotEqualTo(map);
    }

    @Test
    void mayHaveOneShard() {
        ShardMap map = ShardMap.parse("0: a", 1);
        assertThat(map.shards()).isOne();
        assertThat(map.databaseOf(0)).isEqualTo("a");
    }

    @Test
    void refusesANameThatIsNoneWhereverItComesFrom() {
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> ShardMap.of(List.of("a", "b c"), new MapVersion(1, 7)))
            .withMessageStartingWith("Name of a database cannot be used: name='b c'");
    }

    @Test
    void givesNothingAwayThatChangesIt() {
        ShardMap map = ShardMap.parse("0-7: a", 8);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> map.shardsOf("a").clear());
        assertThat(map.shardsOf("a")).containsExactly(new ShardRange(0, 7));
    }

    @Test
    void everyMapIsReadAsItIsWritten() {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        for (int round = 0; round < 500; round++) {
            int shards = 1 + random.nextInt(300);
            List<String> databases = new ArrayList<>();
            while (databases.size() < shards) {
                String name = "db" + random.nextInt(5);
                databases.addAll(Collections.nCopies(1 + random.nextInt(40), name));
            }
            ShardMap map = ShardMap.of(databases.subList(0, shards), MapVersion.NONE);
            assertThat(ShardMap.parse(map.toString(), shards)).as("%s, round %s", seed, round)
                .isEqualTo(map)
                .hasSameHashCodeAs(map);
            assertThat(IntStream.range(0, shards).mapToObj(map::databaseOf)).as("%s, round %s", seed, round)
                .isEqualTo(databases.subList(0, shards));
            List<Integer> found = new ArrayList<>();
            map.databases()
                .forEach((name) -> map.shardsOf(name)
                    .forEach((range) -> IntStream.rangeClosed(range.first(), range.last()).forEach((shard) -> {
                        assertThat(map.databaseOf(shard)).isEqualTo(name);
                        found.add(shard);
                    })));
            assertThat(found).as("%s, round %s", seed, round)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, shards).boxed().toList());
        }
    }

    @Test
    void aShardThatDoesNotExistHasNoDatabase() {
        ShardMap map = ShardMap.parse("0-7: a", 8);
        assertThatExceptionOfType(ShardUnknownException.class).isThrownBy(() -> map.databaseOf(8))
            .withMessageContainingAll("[0, 7]", "shard=8", "layout");
        assertThatExceptionOfType(ShardUnknownException.class).isThrownBy(() -> map.databaseOf(-1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0-811: a, 820-1999: b           | Shards 812-819 have no database
            1-1999: b                       | Shard 0 has no database
            0-1998: b                       | Shard 1999 has no database
            0-999: a, 900-1999: b           | Shards 900-999 have two databases, 'a' and 'b'
            0-1999: a, 7: b                 | Shard 7 has two databases, 'a' and 'b'
            0-1999: a, 7: a                 | Shard 7 has two databases, 'a' and 'a'
            0-9: a, 10-1999: b, 5-20: c     | Shards 5-9 have two databases, 'a' and 'c'
            """)
    void refusesAHoleAndAnOverlap(String text, String told) {
        String remedy = told.contains(" no ") ? "add a range for them" : "leave one of them";
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardMap.parse(text, 2000))
            .withMessageContainingAll(told, "initial-map='" + text + "'", remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0-999: a, 1000-2004: b          | Shards 2000-2004 do not exist
            0-1999: a, 2000: b              | Shard 2000 does not exist
            0-1999: a, 5000-6000: b         | Shards 5000-6000 do not exist
            """)
    void refusesAShardThatIsTooLarge(String text, String told) {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardMap.parse(text, 2000))
            .withMessageContainingAll(told, "initial-map='" + text + "'", "'shardedid.shards'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"',
            textBlock = """
                    0-7 a         | 0-7 a       | range and database with ':' between them
                    0-7: a,       | ""          | range and database with ':' between them
                    0-7: a: b     | 0-7: a: b   | range and database with ':' between them
                    0..7: a       | 0..7: a     | a shard, or the first and the last shard with '-' between them
                    7-0: a        | 7-0: a      | a shard, or the first and the last shard with '-' between them
                    -1: a         | -1: a       | a shard, or the first and the last shard with '-' between them
                    9999999999: a | 9999999999: a | a shard, or the first and the last shard with '-' between them
                    0-7:          | 0-7:        | name of a database: 1 to 63 letters, digits, '-' and '_', a letter or digit first
                    0-7: a b      | 0-7: a b    | name of a database: 1 to 63 letters, digits, '-' and '_', a letter or digit first
                    """)
    void refusesWhatItCannotRead(String text, String at, String rule) {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardMap.parse(text, 8))
            .withMessageContainingAll("at '" + at + "'", "initial-map='" + text + "'", rule, "write it");
    }

    @Test
    void refusesToHaveNoShard() {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardMap.parse("0: a", 0))
            .withMessageContainingAll("shards=0", "set 'shardedid.shards'");
    }

    @Test
    void refusesADatabaseThatIsNotConfigured() {
        ShardMap map = ShardMap.parse("0-9: photos-eu, 10: photos_us, 11: photos-eu", 12);
        assertThat(map.checkDatabases(Set.of("photos-eu", "photos_us", "unused"))).isSameAs(map);
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> map.checkDatabases(List.of("photos-us", "photos-eu")))
            .withMessageContainingAll("'photos_us' of shard 10", "nearest: 'photos-us'",
                    "'shardedid.databases.photos_us.url'");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> map.checkDatabases(List.of("photos_us", "z")))
            .withMessageContainingAll("'photos-eu' of shards 0-9, 11", "configured: 'photos_us', 'z'", "correct");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> ShardMap.parse("0-7: a", 8).checkDatabases(List.of("b")))
            .withMessageContainingAll("'a' of shards 0-7", "configured: 'b'", "correct");
    }

    @Test
    void refusesToMoveWhatDoesNotExist() {
        ShardMap map = ShardMap.parse("0-7: a", 8);
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> map.with(new ShardRange(6, 9), "b"))
            .withMessageContainingAll("Shards 8-9", "range=6-9", "correct");
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> map.with(new ShardRange(6, 8), "b"))
            .withMessageContainingAll("Shard 8", "range=6-8", "correct");
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> map.with(new ShardRange(6, 7), "b c"))
            .withMessage("Name of a database cannot be used: name='b c' "
                    + "(1 to 63 letters, digits, '-' and '_', a letter or digit first); rename the database");
    }

    @ParameterizedTest
    @ValueSource(strings = { "7", "0-999", "1000-1999" })
    void aRangeIsReadAsItIsWritten(String text) {
        assertThat(ShardRange.parse(text)).hasToString(text);
        assertThat(ShardRange.parse("5-7").size()).isEqualTo(3);
        assertThat(ShardRange.of(List.of(1, 5, 6, 7, 9))).hasToString("[1, 5-7, 9]");
    }

    @Test
    void refusesARangeThatIsNone() {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> ShardRange.parse("a-b"))
            .withMessageContainingAll("range='a-b'", "'1000-1999'");
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(() -> new ShardRange(5, 4))
            .withMessageContainingAll("first=5", "last=4", "correct");
    }

    @Test
    void aFixedDirectoryKeepsItsMap() {
        ShardMap map = ShardMap.parse("0-7: a", 8);
        try (ShardDirectory directory = ShardDirectory.of(map)) {
            assertThat(directory.current()).isSameAs(map);
            assertThat(directory.refresh()).isSameAs(map);
            assertThat(directory.note("a", "one")).isEqualTo("one");
            assertThat(directory.problem()).isEmpty();
        }
    }

}
