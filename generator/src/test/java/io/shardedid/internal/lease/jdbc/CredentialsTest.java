package io.shardedid.internal.lease.jdbc;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Arrays;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
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
            jdbc:postgresql://app:p?w@db/feed?a=b | jdbc:postgresql://
            jdbc:postgresql://app:p;w@db/feed | jdbc:postgresql://
            jdbc:postgresql://app:12?a=b@db/feed | jdbc:postgresql://
            jdbc:postgresql://one:5432,two:5433/feed?user=a@b | jdbc:postgresql://
            jdbc:postgresql://[::1]:5432/feed | jdbc:postgresql://[::1]:5432/feed
            jdbc:oracle:thin:scott/tiger@//db:1521/x | jdbc:oracle:thin://db:1521/x
            jdbc:h2:tcp://db/./feed;USER=sa;PASSWORD=x | jdbc:h2:tcp://db/./feed
            jdbc:h2:mem:feed | jdbc:h2:mem:feed
            jdbc:mariadb://db/feed | jdbc:mariadb://db/feed
            """)
    void describesAUrlWithoutThem(String url, String described) {
        assertThat(LeaseConnections.url(url, "app", "x").describe()).isEqualTo(described);
    }

    /** Blocks of YAML and files of secrets end lines in URLs. */
    @Test
    void describesAUrlUpToWhatIsNoAddress() {
        assertThat(DatabaseUrl.describe("jdbc:postgresql://db/feed;x\n&password=s3cret\n"))
            .isEqualTo("jdbc:postgresql://db/feed");
        assertThat(DatabaseUrl.describe("jdbc:postgresql://db/feed\npassword=s3cret"))
            .isEqualTo("jdbc:postgresql://db/feed");
        assertThat(DatabaseUrl.describe("jdbc:mysql://(host=db,password=s3cret)/feed")).isEqualTo("jdbc:mysql://");
        assertThat(DatabaseUrl.describe("jdbc:mysql://a:1,[::1]:2/feed")).isEqualTo("jdbc:mysql://a:1,[::1]:2/feed");
        assertThat(DatabaseUrl.describe("jdbc:h2:file:~/data/feed-1")).isEqualTo("jdbc:h2:file:~/data/feed-1");
    }

    /** What real drivers say, down to the last line of the stack trace. */
    @ParameterizedTest
    @ValueSource(strings = { "jdbc:nothing:x?user=app&password=s3cr3t/pw", "jdbc:nothing://app:s3cr3t/pw@h/d",
            "jdbc:postgresql://app:s3cr3t/pw@127.0.0.1:1/d", "jdbc:postgresql://127.0.0.1:x/d?password=s3cr3t/pw",
            "jdbc:mariadb://app:s3cr3t/pw@127.0.0.1:1/d", "jdbc:h2:nothing:x;PASSWORD=s3cr3t/pw;X=y" })
    void noneIsInWhatAStartSays(String url) {
        StringBuilder logged = new StringBuilder();
        Handler log = new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                logged.append(line.getMessage()).append((line.getThrown() != null) ? trace(line.getThrown()) : "");
            }
        };
        Logger logger = Logger.getLogger("io.shardedid");
        logger.setLevel(Level.ALL);
        logger.addHandler(log);
        try (SqlLeaseTable table = table(LeaseConnections.url(url, "app", SECRET))) {
            ShardedIdException ex = catchThrowableOfType(ShardedIdException.class, table::ensure);
            assertThat(trace(ex)).doesNotContain(SECRET, "s3cr3t").startsWith("io.shardedid.");
            if (table.execute(new LeaseStatement.ReadAll()) instanceof LeaseReply.Unknown unknown) {
                assertThat(trace(unknown.cause())).doesNotContain(SECRET, "s3cr3t");
            }
        }
        finally {
            logger.removeHandler(log);
            logger.setLevel(null);
        }
        assertThat(logged.toString()).doesNotContain(SECRET, "s3cr3t");
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
            public String describe() {
                return "pool";
            }
        };
        try (SqlLeaseTable table = table(source)) {
            WorkerLeaseException ex = catchThrowableOfType(WorkerLeaseException.class, table::ensure);
            assertThat(trace(ex)).doesNotContain("s3cr3t")
                .contains("SQLState=28000", "java.lang.IllegalStateException");
        }
    }

    /** Whether trying again may help, and what to do. */
    @ParameterizedTest
    @CsvSource({ "08001,0,true", "28P01,0,false", "3D000,0,false", "53300,0,true", "08004,1040,true",
            "08004,1130,false", "57P03,0,true", ",0,false" })
    void whatIsSaidWithoutThemIsAsTransient(String state, int code, boolean passes) {
        SQLException failure = new SQLException(SECRET, state, code, new IllegalStateException(SECRET));

        SQLException told = DriverFailure.unquoted(failure);

        assertThat(DriverFailure.isTransient(told)).isEqualTo(DriverFailure.isTransient(failure)).isEqualTo(passes);
        assertThat(DriverFailure.remedy(told)).isEqualTo(DriverFailure.remedy(failure));
        assertThat(trace(told)).doesNotContain(SECRET);
    }

    @Test
    void whatLastsIsToldOfAChain() {
        SQLException failure = new SQLTransientConnectionException("timed out", "08001",
                new SQLException("no such login", "28P01"));

        assertThat(DriverFailure.unquoted(failure).getSQLState()).isEqualTo("28P01");
        assertThat(DriverFailure.remedy(DriverFailure.unquoted(new SQLException("No suitable driver found", "08001"))))
            .contains("add the driver");
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
