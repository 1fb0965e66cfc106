package io.shardedid.move;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;

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

    @Test
    void goesOnAfterAnyErrorOfItsListener() {
        try (MoveContext context = new MoveContext(FAKED, MoveLimits.defaults(), ShardRanges.parse("5"), (progress) -> {
            throw new UnsupportedOperationException("a broken listener");
        }, Session.Probe.NONE, this.time)) {
            context.enter(MoveStep.COPY, "begins");
            assertThat(context.step()).isEqualTo(MoveStep.COPY);
        }
    }

    @Test
    void allSessionsHurryAsLongAsWritersWait() throws SQLException {
        MoveLimits limits = MoveLimits.defaults().withPause(Duration.ofSeconds(2));
        try (FakeDriver driver = new FakeDriver(); MoveContext context = faked(limits)) {
            Session early = context.on("a");
            context.writersWaitSince(this.time.nanoTime());
            Session late = context.on("b");
            this.time.advance(Duration.ofMillis(300));
            for (Session session : List.of(early, late)) {
                session.execute("SELECT 1");
                assertThat(driver.networkMillis).as(session.database()).isEqualTo(1500);
            }

            context.nobodyIsToWait();
            this.time.advance(limits.pause());
            for (Session session : List.of(early, late)) {
                session.execute("SELECT 1");
                assertThat(driver.networkMillis).as(session.database()).isEqualTo(35_000);
            }
        }
    }

    @Test
    void sessionHasItsLimitAgainAfterAPauseThatIsSpent() throws SQLException {
        try (FakeDriver driver = new FakeDriver(); MoveContext context = faked(MoveLimits.defaults())) {
            Session session = context.on("a");
            assertThatExceptionOfType(MoveContext.PauseSpent.class)
                .isThrownBy(() -> context.longRunning(session, Duration.ofMillis(700), () -> {
                    throw new MoveContext.PauseSpent(context.shards(), "a test");
                }))
                .withMessageContaining("a test");
            assertThat(driver.limits).endsWith("SET statement_timeout = 700", "SET statement_timeout = 30000");
            assertThat(context.on("a")).isSameAs(session);
        }
    }

    /** Nothing can be sent any more that would restore the limit. */
    @Test
    void sessionOfAPauseThatIsOverIsNotUsedAgain() throws SQLException {
        MoveLimits limits = MoveLimits.defaults();
        try (FakeDriver driver = new FakeDriver(); MoveContext context = faked(limits)) {
            Session session = context.on("a");
            context.writersWaitSince(this.time.nanoTime());
            assertThatExceptionOfType(MoveContext.PauseSpent.class)
                .isThrownBy(() -> context.longRunning(session, Duration.ofMillis(700), () -> {
                    this.time.advance(limits.pause());
                    session.execute("SELECT 1");
                    return null;
                }));
            context.nobodyIsToWait();
            assertThat(context.on("a")).isNotSameAs(session);
            assertThat(driver.limits).endsWith("SET statement_timeout = 700", "SET statement_timeout = 30000");
        }
    }

    private static final MoveDatabases FAKED = new MoveDatabases(
            Map.of("a", new MoveDatabases.Database("jdbc:faked:a", "", "", null), "b",
                    new MoveDatabases.Database("jdbc:faked:b", "", "", null)),
            "a", "default", null);

    private MoveContext faked(MoveLimits limits) {
        return new MoveContext(FAKED, limits, ShardRanges.parse("5"), (progress) -> {
        }, Session.Probe.NONE, this.time);
    }

    /** Databases that have nothing, and note how long an answer may take. */
    private static final class FakeDriver implements Driver, AutoCloseable {

        private int networkMillis;

        private final List<String> limits = new ArrayList<>();

        FakeDriver() throws SQLException {
            DriverManager.registerDriver(this);
        }

        @Override
        public void close() throws SQLException {
            DriverManager.deregisterDriver(this);
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:faked:");
        }

        @Override
        public Connection connect(String url, Properties properties) {
            return !acceptsURL(url) ? null : proxy(Connection.class, (proxy, method, arguments) -> {
                if (method.getName().equals("setNetworkTimeout")) {
                    this.networkMillis = (int) arguments[1];
                }
                return method.getName().equals("prepareStatement") ? statement((String) arguments[0]) : null;
            });
        }

        private PreparedStatement statement(String sql) {
            return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
                if (!method.getName().equals("execute")) {
                    return method.getName().equals("getResultSet") ? schemas() : null;
                }
                if (sql.startsWith("SET statement_timeout")) {
                    this.limits.add(sql);
                }
                return sql.contains("current_schemas");
            });
        }

        /** One row of the schemas and the version of the server. */
        private static ResultSet schemas() {
            Iterator<Boolean> rows = List.of(true, false).iterator();
            ResultSetMetaData columns = proxy(ResultSetMetaData.class, (proxy, method, arguments) -> 2);
            return proxy(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
                case "getMetaData" -> columns;
                case "next" -> rows.next();
                case "getString" -> arguments[0].equals(1) ? "{}" : "150000";
                default -> null;
            });
        }

        private static <T> T proxy(Class<T> type, InvocationHandler handler) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getLogger("faked");
        }

    }

}
