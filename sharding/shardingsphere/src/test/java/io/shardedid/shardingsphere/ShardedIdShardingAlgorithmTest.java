package io.shardedid.shardingsphere;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;

import com.google.common.collect.Range;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardMapException;
import io.shardedid.shards.ShardUnknownException;
import org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingValue;
import org.apache.shardingsphere.sharding.spi.ShardingAlgorithm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
class ShardedIdShardingAlgorithmTest {

    private static final Set<String> BOTH = Set.of("a", "b");

    private static final String MAP = "0-999: a, 1000-1999: b";

    private final List<ShardedIdEngine> engines = new ArrayList<>();

    @AfterEach
    void close() {
        this.engines.forEach(ShardedIdEngine::close);
    }

    private ShardedIdEngine fixed(int worker) {
        ShardedIdEngine engine = ShardedIds.builder().workers(WorkerLeases.fixed(worker)).open();
        this.engines.add(engine);
        return engine;
    }

    private static ShardedIdShardingAlgorithm algorithm(String... properties) {
        Properties all = new Properties();
        all.setProperty("ids", "id, photo_id");
        all.setProperty("keys", "user_id");
        for (int i = 0; i < properties.length; i += 2) {
            all.setProperty(properties[i], properties[i + 1]);
        }
        ShardedIdShardingAlgorithm algorithm = new ShardedIdShardingAlgorithm();
        algorithm.init(all);
        return algorithm;
    }

    private static ComplexKeysShardingValue<Comparable<?>> where(Object... columnsAndValues) {
        Map<String, Collection<Comparable<?>>> values = new LinkedHashMap<>();
        Map<String, Range<Comparable<?>>> ranges = new LinkedHashMap<>();
        for (int i = 0; i < columnsAndValues.length; i += 2) {
            String column = (String) columnsAndValues[i];
            if (columnsAndValues[i + 1] instanceof Range<?> range) {
                @SuppressWarnings("unchecked")
                Range<Comparable<?>> those = (Range<Comparable<?>>) range;
                ranges.put(column, those);
            }
            else if (columnsAndValues[i + 1] instanceof List<?> list) {
                values.put(column, list.stream().<Comparable<?>>map((each) -> (Comparable<?>) each).toList());
            }
            else {
                values.put(column, List.of((Comparable<?>) columnsAndValues[i + 1]));
            }
        }
        return new ComplexKeysShardingValue<>("photo", values, ranges);
    }

    @Test
    void isTheTypeThatShardingSphereFinds() {
        assertThat(ServiceLoader.load(ShardingAlgorithm.class)).extracting(ShardingAlgorithm::getType)
            .contains("SHARDED_ID");
    }

    @Test
    void valuesLeadToTheDatabasesOfTheirShards() {
        ShardedIdEngine ids = fixed(1);
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);
        long inA = ids.next(4);
        long inB = ids.next(1500);

        assertThat(algorithm.doSharding(BOTH, where("id", inA))).containsExactly("a");
        assertThat(algorithm.doSharding(BOTH, where("ID", inB))).containsExactly("b");
        assertThat(algorithm.doSharding(BOTH, where("photo_id", BigInteger.valueOf(inB)))).containsExactly("b");
        assertThat(algorithm.doSharding(BOTH, where("id", BigDecimal.valueOf(inB)))).containsExactly("b");
        assertThat(algorithm.doSharding(BOTH, where("id", List.of(inA, inB)))).containsExactly("a", "b");
        assertThat(algorithm.doSharding(BOTH, where("user_id", 1500))).containsExactly("b");
        assertThat(algorithm.doSharding(BOTH, where("user_id", List.of(4L, 2004L)))).containsExactly("a");
        assertThat(algorithm.doSharding(BOTH, where("id", ids.uuids().next(1500)))).containsExactly("b");
    }

    @Test
    void conditionsOnSeveralColumnsMeetInTheirCommonShards() {
        ShardedIdEngine ids = fixed(1);
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);
        long inA = ids.next(4);
        long inB = ids.next(1500);

        assertThat(algorithm.doSharding(BOTH, where("id", List.of(inA, inB), "user_id", 1500L))).containsExactly("b");
        assertThat(algorithm.doSharding(BOTH, where("user_id", 1500L, "id", Range.lessThan(inA)))).containsExactly("b");
        assertThatExceptionOfType(CrossShardException.class)
            .isThrownBy(() -> algorithm.doSharding(BOTH, where("user_id", 5L, "id", inA)))
            .withMessage("Could not choose a database: values of one row must be in one shard: table='photo', id=" + inA
                    + " is in shard 4, user_id=5 is in shard 5; correct the values, or keep a column out of 'shardingColumns' whose rows live in other shards");
    }

    @Test
    void rangeAndNullSayNothingAboutTheShard() {
        ShardedIdEngine ids = fixed(1);
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);

        assertThat(algorithm.doSharding(BOTH, where("id", Range.lessThan(ids.next(4))))).isEqualTo(BOTH);
        assertThat(algorithm.doSharding(BOTH, where("user_id", Range.closed(4L, 5L)))).isEqualTo(BOTH);
        assertThat(algorithm.doSharding(BOTH, where("id", ids.next(4), "user_id", nullValue()))).containsExactly("a");
        assertThat(algorithm.doSharding(BOTH, where("user_id", nullValue(), "id", ids.next(4)))).containsExactly("a");
        assertThat(algorithm.doSharding(BOTH, where("user_id", nullValue()))).isEqualTo(BOTH);
    }

    private static List<Object> nullValue() {
        List<Object> nothing = new ArrayList<>();
        nothing.add(null);
        return nothing;
    }

    @Test
    void olderIdIsWhereItsChildrenAre() throws SQLException {
        String url = freshDatabase("older");
        ShardedIdEngine ids = leased(url, "default");
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);

        // the shard of the plain number is 1711, and that of its bits would be 3
        assertThat(ids.shardOf(3711)).isEqualTo(1711);
        assertThat(algorithm.doSharding(BOTH, where("id", 3711L))).containsExactly("b");
    }

    @Test
    void newMapCountsWithTheNextStatementAfterItWasRead() throws SQLException {
        String url = freshDatabase("moved");
        ShardedIdEngine ids = leased(url, "default");
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP, "refresh", "PT1S");
        long id = ids.next(4);
        assertThat(algorithm.doSharding(BOTH, where("id", id))).containsExactly("a");

        execute(url, "UPDATE shardedid_shard SET version = 2 WHERE shard = -1",
                "UPDATE shardedid_shard SET home = 'b', version = 2 WHERE shard = 4");
        while (algorithm.doSharding(BOTH, where("id", id)).contains("a")) {
            Thread.onSpinWait();
        }
        assertThat(algorithm.doSharding(BOTH, where("id", id))).containsExactly("b");
        assertThat(algorithm.doSharding(BOTH, where("id", ids.next(5)))).containsExactly("a");
    }

    @Test
    void engineIsFoundAgainWhenTheApplicationOpensAnotherOne() throws SQLException {
        String url = freshDatabase("again");
        ShardedIdEngine first = leased(url, "default");
        ShardedIdEngine second = leased(url, "default");
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);
        assertThat(algorithm.doSharding(BOTH, where("user_id", 4))).containsExactly("a");
        first.close();
        assertThat(algorithm.doSharding(BOTH, where("user_id", 4))).as("the second one has the same lease")
            .containsExactly("a");
        second.close();
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> algorithm.doSharding(BOTH, where("user_id", 4)))
            .withMessage(
                    "Could not choose a database: no engine of ids is open in this JVM: namespace=null (open: none); "
                            + "open it before the first statement with an id, by the starter or 'ShardedIds.builder()'");
        leased(url, "default");
        assertThat(algorithm.doSharding(BOTH, where("user_id", 4))).containsExactly("a");
    }

    @Test
    void namespaceChoosesBetweenEngines() throws SQLException {
        String url = freshDatabase("namespaces");
        leased(url, "photos");
        leased(url, "orders");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> algorithm("initial-map", MAP).doSharding(BOTH, where("user_id", 4)))
            .withMessage("Could not choose a database: several engines of ids are open in this JVM: namespace=null "
                    + "(open: 'photos', 'orders'); set 'namespace' of the algorithm to one that only one of them has");
        assertThat(algorithm("initial-map", MAP, "namespace", "orders").doSharding(BOTH, where("user_id", 4)))
            .containsExactly("a");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    initial-map | 0-999: a, 1000-1999: c | Database 'c' of shards 1000-1999 is not configured: map='0-999: a, 1000-1999: c' (configured: 'a', 'b'); correct the name, or add the database, by 'shardedid.databases.c.url' or as a data source of the sharding rule
                    initial-map | 0-999: a | Shards 1000-1999 have no database: initial-map='0-999: a' (each shard from 0 to 1999 has one database); add a range for them
                    layout | snowflake | Layout of the algorithm must be the application's: layout='snowflake' (application: '%s'); correct 'layout' of the algorithm, or 'shardedid.layout.*' of the application
                    layout | nothing | Layout of the algorithm must be the application's: layout='nothing' (application: '%s'); correct 'layout' of the algorithm, or 'shardedid.layout.*' of the application
                    shards | 1000 | Number of shards of the algorithm must be the application's: shards=1000 (application: 2000); correct 'shards' of the algorithm, or 'shardedid.shards' of the application
                    refresh | PT2M | refresh must be in [1s, 1m]: shardedid.databases.refresh=2m; correct it
                    """)
    void refusesWhatDoesNotFitTheApplication(String property, String value, String message) throws SQLException {
        leased(freshDatabase("refused"), "default");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> algorithm("initial-map", MAP, property, value).doSharding(BOTH, where("user_id", 4)))
            .withMessage(message.formatted(IdLayout.standard().fingerprint()));
    }

    @Test
    void acceptsTheLayoutAndTheShardsOfTheApplication() {
        fixed(1);
        for (String layout : List.of("standard", IdLayout.standard().fingerprint())) {
            assertThat(algorithm("initial-map", MAP, "layout", layout, "shards", "2000").doSharding(BOTH,
                    where("user_id", 4)))
                .containsExactly("a");
        }
    }

    @Test
    void refusesToStartWithoutAMap() {
        fixed(1);
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> algorithm().doSharding(BOTH, where("user_id", 4)))
            .withMessage(
                    "There is no shard map: initial-map=null (this process leases no worker id from a table, and the "
                            + "map is in a table beside it); set 'initial-map' of the algorithm, or 'shardedid.worker.mode' to 'lease'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    key | user_id | Property of 'SHARDED_ID' is unknown: key='user_id' (known: ids, keys, initial-map, refresh, namespace, layout, shards; nearest: 'keys'); correct it
                    ids | , | Property 'ids' of 'SHARDED_ID' must name a column: ids=','; name the columns that hold sharded ids, such as 'id, photo_id'
                    refresh | 8s | Property 'refresh' of 'SHARDED_ID' is no duration: refresh='8s' (ISO 8601); write it like 'PT8S'
                    """)
    void refusesPropertiesThatItCannotUse(String name, String value, String message) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> algorithm(name, value))
            .withMessage(message);
    }

    @Test
    void refusesIdsOfAnotherType() {
        fixed(1);
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);
        assertThatExceptionOfType(ShardUnknownException.class)
            .isThrownBy(() -> algorithm.doSharding(BOTH, where("id", "4711")))
            .withMessage("Could not choose a database: id must be a number of 64 bits or a UUID: table='photo', "
                    + "column='id', type=java.lang.String, value='4711'; give the id as a number, or remove the column from 'ids' of the algorithm");
        for (Object tooLarge : List.of(BigInteger.ONE.shiftLeft(64), new BigDecimal("1.5"))) {
            assertThatExceptionOfType(ShardUnknownException.class)
                .isThrownBy(() -> algorithm.doSharding(BOTH, where("id", tooLarge)))
                .withMessageContaining("value='" + tooLarge + "'");
        }
        assertThatExceptionOfType(io.shardedid.ShardKeyException.class)
            .isThrownBy(() -> algorithm.doSharding(BOTH, where("id", new UUID(0, 0))))
            .withMessageContaining("must be of version 7 and variant 2");
    }

    @Test
    void refusesColumnsThatAreNeitherIdNorKey() {
        fixed(1);
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);
        for (Object condition : List.of(4L, Range.lessThan(4L))) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> algorithm.doSharding(BOTH, where("owner", condition)))
                .withMessage(
                        "Sharding column is neither an id nor a shard key: table='photo', column='owner' (ids=[id, "
                                + "photo_id], keys=[user_id]); name it in 'ids' or 'keys' of the algorithm, or remove it from 'shardingColumns'");
        }
    }

    @Test
    void refusesADatabaseWithoutADataNodeOfTheTable() {
        fixed(1);
        ShardedIdShardingAlgorithm algorithm = algorithm("initial-map", MAP);
        assertThat(algorithm.doSharding(BOTH, where("user_id", 4))).containsExactly("a");
        assertThatExceptionOfType(ShardMapException.class)
            .isThrownBy(() -> algorithm.doSharding(Set.of("a"), where("user_id", 1500)))
            .withMessage("Database of a shard has no data node of the table: table='photo', shard=1500, database='b' "
                    + "(actualDataNodes in: a); add 'b.photo' to 'actualDataNodes'");
    }

    private static String freshDatabase(String name) {
        return "jdbc:h2:mem:" + name + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    private ShardedIdEngine leased(String url, String namespace) {
        ShardedIdEngine engine = ShardedIds.builder()
            .workers(JdbcLeases.leased(LeaseSettings.builder().application("test").namespace(namespace).build(),
                    LeaseConnections.url(url, null, null), "shardedid_worker", SchemaInitialization.EMBEDDED,
                    List.of()))
            .open();
        this.engines.add(engine);
        return engine;
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

}
