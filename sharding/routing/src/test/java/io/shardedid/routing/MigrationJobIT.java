package io.shardedid.routing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.acme.photos.PhotosApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The command of sharding/docs/databases.md by which a job migrates all databases, run in
 * a JVM of its own with four databases on two servers.
 */
@Tag("database")
@Tag("proof")
@Tag("nightly")
class MigrationJobIT {

    private static final Path PAGE = Path.of("../../sharding/docs/databases.md");

    private static final Pattern COMMAND = Pattern
        .compile("<!-- run by MigrationJobIT -->\n\n {4}java -jar photos\\.jar (.+)\n");

    private static final TwoServers SERVERS = TwoServers.SERVERS;

    @Test
    void jobMigratesEachDatabaseTakesNoWorkerIdAndEnds(@TempDir Path folder) throws Exception {
        List<String> urls = new ArrayList<>();
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                        System.getProperty("java.class.path"), PhotosApplication.class.getName()));
        Matcher documented = COMMAND.matcher(Files.readString(PAGE));
        assertThat(documented.find()).isTrue();
        command.addAll(List.of(documented.group(1).split(" ")));
        for (int i = 0; i < 4; i++) {
            String server = (i % 2 == 0) ? "a" : "b";
            SERVERS.execute(server, "drop database if exists job" + i);
            SERVERS.execute(server, "create database job" + i);
            urls.add(SERVERS.url(server).replace("/postgres", "/job" + i));
            command.add("--shardedid.databases.job%s.url=%s".formatted(i, urls.get(i)));
            command.add("--shardedid.databases.job%s.username=postgres".formatted(i));
        }
        command.addAll(List.of("--shardedid.databases.home=job0", "--shardedid.databases.initial-map=0-1999: job0",
                "--shardedid.worker.lease.initialize-schema=always", "--spring.liquibase.enabled=true",
                "--spring.liquibase.change-log=classpath:db/liquibase/photos.sql"));

        Path output = folder.resolve("output");
        Process job = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(job.waitFor(10, TimeUnit.MINUTES)).as("the end of the job").isTrue();
        }
        finally {
            job.destroyForcibly();
        }

        assertThat(job.exitValue()).as(Files.readString(output)).isZero();
        for (String url : urls) {
            assertThat(query(url, "select count(*) from photo")).as(url).isEqualTo("0");
        }
        assertThat(query(urls.get(0), "select count(*) from shardedid_worker where worker_id >= 0")).isEqualTo("0");
    }

    private static String query(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

}
