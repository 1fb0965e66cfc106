package io.shardedid.routing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.routing.DatabasesProperties.Enter;
import io.shardedid.routing.DatabasesProperties.Start;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;
import io.shardedid.testdb.FailingCalls;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A connection goes back to its pool, whichever call on it fails. */
class ConnectionsGoBackTest {

    static Stream<Arguments> users() {
        return Stream.of(arguments(named("a statement without a transaction", (databases) -> {
            ShardBindings bindings = bindings(databases);
            in(bindings.open(4, "scope", false), () -> use(databases, bindings));
        })), arguments(named("a transaction in two shards", (databases) -> {
            ShardBindings bindings = bindings(databases);
            transaction(TransactionDefinition.ISOLATION_SERIALIZABLE, true, () -> {
                bindings.touchAny(4, "key 4");
                bindings.touchAny(5, "key 5");
                use(databases, bindings);
            });
        })), arguments(named("a transaction that enters a shard late", (databases) -> {
            ShardBindings bindings = bindings(databases);
            transaction(TransactionDefinition.ISOLATION_SERIALIZABLE, false, () -> {
                bindings.touchAny(4, "key 4");
                try (Connection ignored = new RoutingDataSource(databases, () -> bindings).getConnection()) {
                    bindings.touchAny(5, "key 5");
                }
            });
        })), arguments(named("a transaction that reads reference data, and goes on in a shard", (databases) -> {
            ShardBindings bindings = bindings(databases);
            transaction(TransactionDefinition.ISOLATION_SERIALIZABLE, false,
                    () -> in(bindings.openForReference("Country"), () -> {
                        try (Connection reading = new RoutingDataSource(databases, () -> bindings).getConnection()) {
                            reading.setAutoCommit(false);
                            reading.prepareStatement("select name from country").close();
                            bindings.touchAny(4, "key 4");
                            reading.prepareStatement("select caption from photo").close();
                        }
                    }));
        })), arguments(named("the look at the names",
                (databases) -> assertThatExceptionOfType(ShardedIdConfigurationException.class)
                    .isThrownBy(() -> new DatabaseNames(databases, "default", "shardedid_worker").check())
                    .withMessageContaining("rows=1"))),
                arguments(named("the look at the homes",
                        (databases) -> new ShardHomes(databases).settle(Set.of("a", "b")))));
    }

    private static Named<Use> named(String name, Use use) {
        return Named.of(name, use);
    }

    @ParameterizedTest
    @MethodSource("users")
    void whicheverCallFails(Use use) throws InterruptedException {
        assertThat(FailingCalls.each(null, (source) -> use.accept(databases(source)))).isGreaterThan(1);
    }

    /** A pool can be exhausted until the shard has moved. */
    @Test
    void connectionToADatabaseThatTheShardHasLeftMeanwhileGoesBack() throws Exception {
        ShardBindingsTest.MovingShards homes = new ShardBindingsTest.MovingShards();
        ShardBindings bindings = new ShardBindings(RoutingGuard.DATABASE, homes, new CrossShardCalls());
        List<Connection> taken = new ArrayList<>();
        DataSource there = new DriverManagerDataSource("jdbc:h2:mem:there");
        DataSource exhausted = new DelegatingDataSource(new DriverManagerDataSource("jdbc:h2:mem:here")) {

            @Override
            public Connection getConnection() throws SQLException {
                homes.move("4", "b");
                taken.add(super.getConnection());
                return taken.get(0);
            }

        };

        in(bindings.open(4, "scope", false), () -> {
            try (Connection connection = new RoutingDataSource(databases(exhausted, there), () -> bindings)
                .getConnection()) {
                assertThat(connection.getMetaData().getURL()).endsWith("there");
            }
        });

        assertThat(taken).hasSize(1);
        assertThat(taken.get(0).isClosed()).isTrue();
    }

    private static Databases databases(DataSource pool) {
        return databases(pool, pool);
    }

    private static Databases databases(DataSource a, DataSource b) {
        ShardDirectory map = ShardDirectory.of(ShardMap.parse("0-5: a, 6-9: b", 10));
        Databases databases = new Databases(Map.of("a", a, "b", b),
                new DatabasesProperties(List.of("a", "b"), "a", null, Duration.ofSeconds(5), Enter.WRITE, Start.ALL, 1),
                new SideBySide(1, null), () -> map);
        databases.started();
        return databases;
    }

    private static ShardBindings bindings(Databases databases) {
        return new ShardBindings(RoutingGuard.DATABASE, databases, new CrossShardCalls());
    }

    private static void use(Databases databases, ShardBindings bindings) throws SQLException {
        new RoutingDataSource(databases, () -> bindings).getConnection().close();
    }

    private static void transaction(int isolation, boolean readOnly, ThrowingCallable action) {
        TransactionTemplate transaction = new TransactionTemplate(new ShardBindingsTest.NoTransactions());
        transaction.setIsolationLevel(isolation);
        transaction.setReadOnly(readOnly);
        transaction.executeWithoutResult((status) -> run(action));
    }

    private static void in(ShardBindings.Scope scope, ThrowingCallable action) {
        try {
            run(action);
        }
        finally {
            scope.close();
        }
    }

    private static void run(ThrowingCallable action) {
        try {
            action.call();
        }
        catch (Throwable ex) {
            throw new IllegalStateException(ex);
        }
    }

    private interface Use extends ThrowingConsumer<Databases> {

    }

}
