package io.shardedid.routing;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.routing.DatabasesProperties.Enter;
import io.shardedid.routing.DatabasesProperties.Start;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardUnknownException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Both sides of each number by which the router decides. */
class BordersTest {

    private static final ShardMap MAP = ShardMap.parse("0-5: a, 6-9: b", 10);

    private static ScopedShards shards(boolean several) {
        Homes homes = new Homes() {
            @Override
            public List<String> names() {
                return List.of("a", "b");
            }

            @Override
            public boolean several() {
                return several;
            }

            @Override
            public String databaseOf(int shard) {
                return MAP.databaseOf(shard);
            }
        };
        ShardedIds ids = (ShardedIds) Proxy.newProxyInstance(ShardedIds.class.getClassLoader(),
                new Class<?>[] { ShardedIds.class }, (self, method, values) -> 10);
        return new ScopedShards(new ShardBindings(RoutingGuard.OFF, homes, new CrossShardCalls()), () -> ids, () -> MAP,
                ShardBindingsTest.NoTransactions::new, (row) -> OptionalInt.of((Integer) row % 10));
    }

    @ParameterizedTest
    @CsvSource({ "-1, false", "0, true", "9, true", "10, false" })
    void shardIsOneOfTheLayout(int shard, boolean taken) {
        if (taken) {
            ScopedShards shards = shards(true);
            assertThat(shards.<OptionalInt>inShard(shard, shards::current)).hasValue(shard);
        }
        else {
            assertThatExceptionOfType(ShardUnknownException.class)
                .isThrownBy(() -> shards(true).inShard(shard, () -> 1));
        }
    }

    /** Two rows of shard 6 are still in a, whose page may end with them. */
    @ParameterizedTest
    @CsvSource({ "0, ''", "1, 1", "2, 1", "3, 1", "4, 1 26 36 46" })
    void rowsAfterTheEndOfAFullPageAreLeftOut(int limit, String merged) {
        ScopedShards shards = shards(true);
        List<List<Integer>> pages = List.of(List.of(1, 6, 16), List.of(26, 36, 46));
        AtomicInteger database = new AtomicInteger();
        List<Integer> rows = shards.merge(Comparator.naturalOrder(), limit,
                () -> pages.get(database.getAndIncrement()).stream().limit(limit).toList());
        assertThat(rows.stream().map(String::valueOf).toList())
            .isEqualTo(merged.isEmpty() ? List.of() : List.of(merged.split(" ")));
    }

    @Test
    void limitIsNotNegative() {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> shards(true).merge(Comparator.<Integer>naturalOrder(), -1, List::of));
    }

    static Stream<Arguments> failures() {
        return Stream.of(arguments(new SQLTransientConnectionException("pool"), true),
                arguments(new SQLNonTransientConnectionException("driver"), true),
                arguments(new SQLException("x", "08006"), true), arguments(new SQLException("x", "57P01"), true),
                arguments(new SQLException("cancelled", "57014"), false),
                arguments(new SQLException("x", "40001"), false), arguments(new SQLException("x"), false),
                arguments(new IllegalStateException("x"), false));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void databaseIsUnreachableByEachSignAlone(Exception cause, boolean unreachable) {
        List<String> away = new ArrayList<>();
        RuntimeException failure = new RuntimeException(new RuntimeException(cause));
        if (unreachable) {
            shards(true).inEach(() -> {
                throw failure;
            }, (database, ex) -> away.add(database));
        }
        else {
            assertThatThrownBy(() -> shards(true).inEach(() -> {
                throw failure;
            }, (database, ex) -> away.add(database))).isSameAs(failure);
        }
        assertThat(away).isEqualTo(unreachable ? List.of("a", "b") : List.of());
    }

    @ParameterizedTest
    @CsvSource({ "0, false", "1, true", "64, true", "65, false" })
    void parallelismIsInItsRange(int parallelism, boolean taken) {
        MockEnvironment environment = new MockEnvironment().withProperty("shardedid.databases.a.url", "jdbc:h2:mem:a")
            .withProperty("shardedid.databases.parallelism", "" + parallelism);
        if (taken) {
            assertThat(DatabasesProperties.of(environment).parallelism()).isEqualTo(parallelism);
        }
        else {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> DatabasesProperties.of(environment));
        }
    }

    @Test
    void defaultsArrive() {
        DatabasesProperties properties = DatabasesProperties
            .of(new MockEnvironment().withProperty("shardedid.databases.a.url", "jdbc:h2:mem:a"));
        assertThat(properties).isEqualTo(
                new DatabasesProperties(List.of("a"), "a", null, Duration.ofSeconds(8), Enter.WRITE, Start.ALL, 8));
    }

    /** 40 connections among all, from 4 to 10 each. */
    @ParameterizedTest
    @CsvSource({ "2, 10", "4, 10", "5, 8", "9, 4", "10, 4", "11, 4" })
    void poolsOfManyDatabasesAreSmall(int databases, int size) {
        List<String> names = IntStream.range(0, databases).mapToObj((i) -> "d" + i).toList();
        try (HikariDataSource pool = pool(names)) {
            assertThat(pool.getMaximumPoolSize()).isEqualTo(size);
            assertThat(pool.getMinimumIdle()).isZero();
            assertThat(pool.getConnectionTimeout()).isEqualTo(5_000);
            assertThat(pool.getInitializationFailTimeout()).isNegative();
            assertThat(pool.getPoolName()).isEqualTo("d0");
        }
    }

    @Test
    void poolOfOneDatabaseIsThatOfTheDriver() {
        try (HikariDataSource pool = pool(List.of("d0")); HikariDataSource plain = new HikariDataSource()) {
            assertThat(pool.getMaximumPoolSize()).isEqualTo(plain.getMaximumPoolSize());
            assertThat(pool.getConnectionTimeout()).isEqualTo(plain.getConnectionTimeout());
        }
    }

    private static HikariDataSource pool(List<String> names) {
        return new DatabasesProperties(names, "d0", null, Duration.ofSeconds(5), Enter.WRITE, Start.ALL, 8).pool("d0",
                new MockEnvironment().withProperty("shardedid.databases.d0.url", "jdbc:h2:mem:a"));
    }

    @ParameterizedTest
    @ValueSource(ints = { 79, 80, 81 })
    void valueIsCutAfterEightyCharacters(int length) {
        assertThat(Shown.value("x".repeat(length)))
            .isEqualTo("x".repeat(Math.min(length, 80)) + "...".repeat(length / 81));
    }

    /** As often as the map is read. */
    @ParameterizedTest
    @CsvSource({ "PT0S, 3", "PT1H, 1" })
    void fenceIsLookedForAgain(Duration refresh, int looks) throws SQLException {
        AtomicInteger looked = new AtomicInteger();
        DatabaseMetaData h2 = (DatabaseMetaData) Proxy.newProxyInstance(Connection.class.getClassLoader(),
                new Class<?>[] { DatabaseMetaData.class }, (self, method, values) -> "H2");
        Connection connection = (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
                new Class<?>[] { Connection.class }, (self, method, values) -> {
                    looked.incrementAndGet();
                    return h2;
                });
        Databases databases = new Databases(Map.of(),
                new DatabasesProperties(List.of("a"), "a", null, refresh, Enter.WRITE, Start.ALL, 1),
                new SideBySide(1, null), () -> ShardDirectory.of(MAP));
        for (int i = 0; i < 3; i++) {
            assertThat(databases.lookForFence("a", connection)).isFalse();
        }
        assertThat(looked).hasValue(looks);
    }

}
