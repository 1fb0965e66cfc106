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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import static org.assertj.core.api.Assertions.assertThat;

/** An application of Quarkus that saves a photo and ends is started twice. */
final class QuarkusStarts {

    private QuarkusStarts() {
    }

    /**
     * Starts the application twice. Each start leases a worker id and gives it back, and
     * the second one makes later ids.
     * @param printed what it prints: the id, the shard, the worker id and the rows
     * @param properties what it is told about the database, by the JDBC URL
     * @param folder where its output goes
     */
    static void assertLeases(Pattern printed, Function<String, List<String>> properties, Path folder)
            throws Exception {
        try (EmbeddedPostgres database = EmbeddedPostgres.start()) {
            createLeaseTable(database);
            List<String> command = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            command.addAll(properties.apply(database.getJdbcUrl("postgres", "postgres")));
            command.addAll(List.of("-jar", System.getProperty("quarkus.application")));

            Matcher first = run(command, printed, folder.resolve("first"));
            Matcher second = run(command, printed, folder.resolve("second"));

            assertThat(first.group(2)).isEqualTo("1711");
            assertThat(first.group(4)).isEqualTo("1");
            assertThat(second.group(4)).isEqualTo("2");
            assertThat(Long.parseLong(second.group(1))).isGreaterThan(Long.parseLong(first.group(1)));
            assertThat(leases(database)).as("acquired twice, and given back").isEqualTo("2 0");
        }
    }

    private static Matcher run(List<String> command, Pattern printed, Path log)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("the application has ended").isTrue();
        }
        finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log);
        assertThat(process.exitValue()).as(output).isZero();
        Matcher photo = printed.matcher(output);
        assertThat(photo.find()).as(output).isTrue();
        return photo;
    }

    /** By the script in the generator's jar, as a migration would. */
    private static void createLeaseTable(EmbeddedPostgres database) throws IOException, SQLException {
        try (InputStream script = IdLayout.class.getResourceAsStream("lease-table-postgresql.sql");
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
