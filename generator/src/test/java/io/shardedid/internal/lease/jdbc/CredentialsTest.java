package io.shardedid.internal.lease.jdbc;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Arrays;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Passwords in what drivers say. */
class CredentialsTest {

    private static final String SECRET = "s3cr3t/pw";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:postgresql://db:5432/feed?user=app&password=x | jdbc:postgresql://db:5432/feed
            jdbc:postgresql://app:x@db:5432/feed?ssl=true | jdbc:postgresql://db:5432/feed
            jdbc:postgresql://app:p/w@db:5432/feed | jdbc:postgresql://db:5432/feed
            jdbc:postgresql://app:p@w/@db/feed | jdbc:postgresql://db/feed
            jdbc:postgresql://app:p?w@db/feed?a=b | jdbc:postgresql://db/feed
            jdbc:postgresql://app:p;w@db/feed | jdbc:postgresql://db/feed
            jdbc:postgresql://app:pw?a=b@db/feed | jdbc:postgresql://app
            jdbc:postgresql://one:5432,two:5433/feed?user=a@b | jdbc:postgresql://one:5432,two:5433/feed
            jdbc:postgresql://[::1]:5432/feed | jdbc:postgresql://[::1]:5432/feed
            jdbc:oracle:thin:scott/tiger@//db:1521/x | jdbc:oracle:thin://db:1521/x
            jdbc:h2:tcp://db/./feed;USER=sa;PASSWORD=x | jdbc:h2:tcp://db/./feed
            jdbc:h2:mem:feed | jdbc:h2:mem:feed
            jdbc:mariadb://db/feed | jdbc:mariadb://db/feed
            """)
    void describesAUrlWithoutThem(String url, String described) {
        assertThat(LeaseConnections.url(url, "app", "x").describe()).isEqualTo(described);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            No suitable driver found for jdbc:x://h/d?password=s3cr3t | No suitable driver found for jdbc:x://h/d
            Unable to parse URL jdbc:postgresql://u:s3/cr3t@h:x/d | Unable to parse URL jdbc:postgresql://h/d
            could not parse postgresql://u:s3/cr3t@h/d | could not parse postgresql://h/d
            settings: user=u, password=s3cr3t, ssl=true | settings: user=u, password=***, ssl=true
            PWD='s3 cr3t' and sslpassword = "s3cr3t" | PWD=*** and sslpassword = ***
            Access denied for user 'u'@'h' (using password: YES) | Access denied for user 'u'@'h' (using password: YES)
            """)
    void removesThemFromATextOfWhichNothingIsKnown(String text, String clean) {
        assertThat(Credentials.UNKNOWN.without(text)).isEqualTo(clean);
    }

    /** Blocks of YAML and files of secrets end lines in URLs. */
    @Test
    void describesAUrlUpToWhatIsNoAddress() {
        assertThat(Credentials.describe("jdbc:postgresql://db/feed;x\n&password=s3cret\n"))
            .isEqualTo("jdbc:postgresql://db/feed");
        assertThat(Credentials.describe("jdbc:postgresql://db/feed\npassword=s3cret"))
            .isEqualTo("jdbc:postgresql://db/feed");
        assertThat(Credentials.describe("jdbc:mysql://(host=db,password=s3cret)/feed")).isEqualTo("jdbc:mysql://");
        assertThat(Credentials.describe("jdbc:mysql://a:1,[::1]:2/feed")).isEqualTo("jdbc:mysql://a:1,[::1]:2/feed");
        assertThat(Credentials.describe("jdbc:h2:file:~/data/feed-1")).isEqualTo("jdbc:h2:file:~/data/feed-1");
    }

    @Test
    void removesThePasswordsOfTheConnectionWhereverTheyAre() {
        Credentials known = Credentials.of("jdbc:postgresql://app:u%2Fi@db/feed?sslpassword=k3y-word", SECRET);

        assertThat(known.without("bad: <s3cr3t/pw> u%2Fi u/i k3y-word [xs3cr3t/pwx]"))
            .isEqualTo("bad: <***> *** *** *** [x***x]");
        assertThat(
                Credentials.of("jdbc:mariadb://app:s3cr3t/pw@db/feed", null).without("Incorrect port value : s3cr3t"))
            .isEqualTo("Incorrect port value : ***");
        assertThat(Credentials.of("jdbc:postgresql://db/postgres", "postgres")
            .without("no database \"postgres\" of postgresql")).isEqualTo("no database \"***\" of postgresql");
    }

    @Test
    void copiesAnExceptionOnlyIfItCarriesOne() {
        SQLException clean = new SQLTimeoutException("no answer", "08006", 7);
        assertThat(Credentials.UNKNOWN.without(clean)).isSameAs(clean);

        SQLException next = new SQLException("password=n3xt", "08001");
        SQLException carrying = new SQLTimeoutException("no answer", "08006", 7,
                new IllegalStateException("jdbc:x://u:c4use@h"));
        carrying.setNextException(next);
        carrying.addSuppressed(new SQLException("pwd=suppr3ssed"));

        Exception copy = Credentials.UNKNOWN.without(carrying);

        assertThat(trace(copy)).doesNotContain("n3xt", "c4use", "suppr3ssed").contains("jdbc:x://h");
        assertThat(copy).isInstanceOfSatisfying(SQLException.class, (ex) -> {
            assertThat(ex.getSQLState()).isEqualTo("08006");
            assertThat(ex.getErrorCode()).isEqualTo(7);
            assertThat(ex.getNextException().getMessage()).isEqualTo("password=***");
            assertThat(ex.getStackTrace()).isEqualTo(carrying.getStackTrace());
        });
        assertThat(DriverFailure.isTransient(copy)).isTrue();
    }

    @Test
    void copyKeepsWhatKindOfRefusalItIs() {
        Exception cause = new SQLException("password=x");
        assertKept(new WorkerLeaseException("none", false, "Use another mode.", cause));
        assertKept(new WorkerLeaseException("spent", cause));
        assertKept(new ShardedIdConfigurationException(new Problem("wrong", "write a right one", "shardedid.shards"),
                cause));
        assertKept(new ShardedIdException("other", true, "Try again.", cause));
    }

    private static void assertKept(ShardedIdException failure) {
        Exception copy = Credentials.UNKNOWN.without(failure);
        assertThat(copy).isNotSameAs(failure).hasMessage(failure.getMessage()).hasSameClassAs(failure);
        assertThat(copy.getCause()).hasMessage("password=***");
        assertThat(((ShardedIdException) copy).retryable()).isEqualTo(failure.retryable());
        assertThat(((ShardedIdException) copy).action()).isEqualTo(failure.action());
        if (failure instanceof ShardedIdConfigurationException refused) {
            assertThat(((ShardedIdConfigurationException) copy).problem()).isEqualTo(refused.problem());
        }
    }

    @Test
    void wordsOfAProblemAreWithoutThem() {
        SQLException cause = new SQLException("login 's3cr3t' failed");
        ShardedIdConfigurationException failure = new ShardedIdConfigurationException(
                new Problem("Could not log in: login 's3cr3t' failed", "correct jdbc:x://u:s3cr3t@h/d", "key"), cause);

        Exception copy = Credentials.of(null, "s3cr3t").without(failure);

        assertThat(((ShardedIdConfigurationException) copy).problem())
            .isEqualTo(new Problem("Could not log in: login '***' failed", "correct jdbc:x://h/d", "key"));
    }

    /** Most databases of developers have a password that is the user's name. */
    @ParameterizedTest
    @ValueSource(strings = { "POSTGRES", "shardedid_worker", "table", "H2", "GRANT", "a", "it does not exist",
            "shardedid.worker.lease.initialize-schema=never" })
    void areNoWordsOfOurOwnMessages(String password) throws SQLException {
        String url = "jdbc:h2:mem:" + password.replaceAll("\\W", "_");
        try (Connection open = DriverManager.getConnection(url, "POSTGRES", password);
                SqlLeaseTable table = new SqlLeaseTable(LeaseConnections.url(url, "POSTGRES", password),
                        LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTimeouts.DEFAULT)) {
            assertThat(table.describe()).isEqualTo(url);
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(table::ensure)
                .withMessage("Could not use the lease table: table=shardedid_worker, database=H2 "
                        + open.getMetaData().getDatabaseProductVersion() + ", user=POSTGRES (it does not exist, and "
                        + "'shardedid.worker.lease.initialize-schema=never' makes none); run "
                        + "'io/shardedid/lease-table-h2.sql' of the generator's jar (CREATE TABLE "
                        + "shardedid_worker ...), then GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO "
                        + "\"POSTGRES\"; or set 'shardedid.worker.lease.initialize-schema=always'");
        }
    }

    @Test
    void areHiddenInWhatOurMessagesRepeatOfADriver() {
        SQLException driver = new SQLException("user \"app\" has no right, tried app/pw of app\nSELECT app", "42501");
        WorkerLeaseException ours = new WorkerLeaseException(
                "Could not use the lease table: user=app (" + LeaseTableSetup.oneLine(driver)
                        + "); run GRANT SELECT ON shardedid_worker TO \"app\"",
                false, "Ask app.", new WorkerLeaseException("refused for app: " + driver.getMessage(), driver));

        Exception copy = Credentials.of("jdbc:postgresql://db/app?sslpassword=app/pw", "app").without(ours);

        assertThat(copy).hasMessage("Could not use the lease table: user=app (user \"***\" has no right, tried *** of "
                + "***); run GRANT SELECT ON shardedid_worker TO \"app\"");
        assertThat(copy.getCause())
            .hasMessage("refused for app: user \"***\" has no right, tried *** of ***\nSELECT app");
        assertThat(copy.getCause().getCause()).hasMessage("user \"***\" has no right, tried *** of ***\nSELECT ***");
    }

    @Test
    void areNoWordsOfWhatIsSaidWithoutADriver() {
        LeaseConnections unused = LeaseConnections.url("jdbc:h2:mem:unused", "sa", "lease");
        try (SqlLeaseTable table = table(unused)) {
            table.close();
            assertThat(table.execute(new LeaseStatement.ReadAll())).isInstanceOfSatisfying(LeaseReply.Unknown.class,
                    (unknown) -> assertThat(unknown.cause())
                        .hasMessage("Could not connect to the lease table's database: the lease table is closed"));
        }
    }

    @Test
    void survivesACircleOfCauses() {
        SQLException one = new SQLException("password=x");
        SQLException two = new SQLException("two", one);
        one.initCause(two);

        assertThat(Credentials.UNKNOWN.without(one)).hasMessage("password=***");
    }

    /** What real drivers say, down to the last line of the stack trace. */
    @ParameterizedTest
    @ValueSource(strings = { "jdbc:nothing:x?user=app&password=s3cr3t/pw", "jdbc:nothing://app:s3cr3t/pw@h/d",
            "jdbc:postgresql://app:s3cr3t/pw@127.0.0.1:1/d", "jdbc:postgresql://127.0.0.1:x/d?password=s3cr3t/pw",
            "jdbc:mariadb://app:s3cr3t/pw@127.0.0.1:1/d", "jdbc:h2:nothing:x;PASSWORD=s3cr3t/pw;X=y" })
    void noneIsInWhatAStartSays(String url) {
        try (SqlLeaseTable table = table(LeaseConnections.url(url, "app", SECRET))) {
            ShardedIdException ex = catchThrowableOfType(ShardedIdException.class, table::ensure);
            assertThat(trace(ex)).doesNotContain(SECRET, "s3cr3t").startsWith("io.shardedid.");
            if (table.execute(new LeaseStatement.ReadAll()) instanceof LeaseReply.Unknown unknown) {
                assertThat(trace(unknown.cause())).doesNotContain(SECRET, "s3cr3t");
            }
        }
    }

    @Test
    void noneIsInWhatADataSourceThrows() {
        LeaseConnections source = new LeaseConnections() {
            @Override
            public Connection open(Duration timeout) throws SQLException {
                throw new SQLException("cannot connect", "28000",
                        new IllegalStateException("tried jdbc:postgresql://app:s3cr3t/pw@h/d"));
            }

            @Override
            public boolean keep() {
                return true;
            }

            @Override
            public String describe() {
                return "pool of jdbc:postgresql://app:s3cr3t/pw@h/d";
            }
        };
        try (SqlLeaseTable table = table(source)) {
            WorkerLeaseException ex = catchThrowableOfType(WorkerLeaseException.class, table::ensure);
            assertThat(trace(ex)).doesNotContain("s3cr3t").contains("pool of jdbc:postgresql://h/d");
        }
    }

    private static SqlLeaseTable table(LeaseConnections connections) {
        return new SqlLeaseTable(connections, LeaseTableName.DEFAULT, "default", SchemaInitialization.ALWAYS,
                LeaseTimeouts.DEFAULT);
    }

    private static String trace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text + Arrays.toString(thrown.getSuppressed());
    }

}
