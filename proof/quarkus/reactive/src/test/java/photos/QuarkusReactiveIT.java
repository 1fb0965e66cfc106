package photos;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application of Quarkus with reactive Panache leases a worker, saves a row, ends, and
 * starts again.
 */
class QuarkusReactiveIT {

    private static final Pattern PHOTO = Pattern
        .compile("photo id=(\\d+) shard=(\\d+) worker=(\\d+) rows=(\\d+)\\R+refused retryable=true");

    @TempDir
    Path logs;

    @Test
    void leasesAWorkerAtEachStartAndMakesLaterIds() throws Exception {
        try (EmbeddedPostgres database = EmbeddedPostgres.start()) {
            String url = database.getJdbcUrl("postgres", "postgres");
            createLeaseTable(database);

            Matcher first = run(url, "first");
            Matcher second = run(url, "second");

            assertThat(first.group(2)).isEqualTo("1711");
            assertThat(first.group(4)).isEqualTo("1");
            assertThat(second.group(4)).isEqualTo("2");
            assertThat(Long.parseLong(second.group(1))).isGreaterThan(Long.parseLong(first.group(1)));
            assertThat(leases(database)).as("acquired twice, and given back").isEqualTo("2 0");
        }
    }

    private Matcher run(String url, String name) throws IOException, InterruptedException {
        Path log = this.logs.resolve(name);
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dshardedid.worker.lease.url=" + url,
                "-Dquarkus.datasource.reactive.url=" + url.replace("jdbc:", "").replaceFirst("\\?.*", ""),
                "-Dquarkus.datasource.username=postgres", "-jar", System.getProperty("quarkus.application"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("the application has ended").isTrue();
        }
        finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log);
        assertThat(process.exitValue()).as(output).isZero();
        Matcher photo = PHOTO.matcher(output);
        assertThat(photo.find()).as(output).isTrue();
        return photo;
    }

    /** By the script in the generator's jar, as a migration would. */
    private static void createLeaseTable(EmbeddedPostgres database) throws IOException, SQLException {
        try (InputStream script = IdLayout.class.getResourceAsStream("worker/lease-table-postgresql.sql");
                Connection connection = database.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** How often a worker was acquired, and until when the last lease runs. */
    private static String leases(EmbeddedPostgres database) throws SQLException {
        try (Connection connection = database.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select sum(fence) || ' ' || max(lease_until) from shardedid_worker where worker_id >= 0")) {
            rows.next();
            return rows.getString(1);
        }
    }

}
