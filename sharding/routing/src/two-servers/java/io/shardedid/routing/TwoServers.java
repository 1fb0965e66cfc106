package io.shardedid.routing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.IdLayout;
import io.shardedid.shards.ShardFence;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Two PostgreSQL servers, started by the first use and once in a JVM. Each logs every
 * statement, so that a test sees what arrived where, and lets shards be moved. Tests of
 * other modules compile this file too.
 */
public final class TwoServers {

    public static final TwoServers SERVERS = new TwoServers();

    private static final String SCHEMA = """
            create table if not exists photo (id bigint primary key, user_id bigint not null, caption varchar(255));
            create table if not exists comment (id bigint primary key, photo_id bigint not null references photo,
              text varchar(255));
            create table if not exists country (code varchar(255) primary key, name varchar(255));
            truncate photo, comment, country;
            """;

    /** Pools, because a connection costs a server more than most questions of tests. */
    private final Map<String, HikariDataSource> pools = Map.of("a", pool(start()), "b", pool(start()));

    private static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.builder().setPort(FreePort.find())
                .setPGStartupWait(Duration.ofSeconds(90))
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .setServerConfig("pg_stat_statements.track_utility", "off")
                .setServerConfig("wal_level", "logical")
                .start();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static HikariDataSource pool(EmbeddedPostgres server) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort()));
        pool.setUsername("postgres");
        pool.setMinimumIdle(0);
        return pool;
    }

    public String url(String database) {
        return this.pools.get(database).getJdbcUrl();
    }

    /** Makes the tables and empties them. */
    public void makeTables() {
        for (String database : List.of("a", "b")) {
            execute(database, SCHEMA);
            execute(database, "create extension if not exists pg_stat_statements");
        }
    }

    /** Fences tables in both databases, for ids of the standard layout. */
    public void fence(String... tables) {
        for (String database : List.of("a", "b")) {
            execute(database, ShardFence.script(IdLayout.standard(), 2000, tables));
        }
    }

    public void execute(String database, String sql) {
        try (Connection connection = connect(database); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        catch (SQLException ex) {
            throw new IllegalStateException(sql, ex);
        }
    }

    /** Forgets what arrived so far. */
    public void forget() {
        execute("a", "select pg_stat_statements_reset()");
        execute("b", "select pg_stat_statements_reset()");
    }

    /** The statements about photos, comments and countries that the server has run. */
    public List<String> statements(String database) {
        return query(database,
                "select query || ' x' || calls from pg_stat_statements where query ~ '(photo|comment|country)' "
                        + "and query !~ 'pg_stat_statements' and query !~ '(?i)(create|truncate|pg_catalog)' order by query");
    }

    /** How many statements about those tables the server has run. */
    public long calls(String database) {
        return Long
            .parseLong(query(database,
                    "select coalesce(sum(calls), 0) from pg_stat_statements where query ~ '(photo|comment|country)' "
                            + "and query !~ 'pg_stat_statements' and query !~ '(?i)(create|truncate|pg_catalog)'")
                .get(0));
    }

    public List<String> query(String database, String sql) {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
        catch (SQLException ex) {
            throw new IllegalStateException(sql, ex);
        }
    }

    /**
     * Stops all processes of a server, which keep their connections and say nothing.
     */
    public List<ProcessHandle> freeze(String database) {
        Path data = Path.of(query(database, "show data_directory").get(0));
        try {
            ProcessHandle postmaster = ProcessHandle
                .of(Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip()))
                .orElseThrow();
            signal("-STOP", List.of(postmaster));
            // it starts no others any more
            List<ProcessHandle> all = Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
            signal("-STOP", all);
            return all;
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Lets the processes of a server go on. */
    public void thaw(List<ProcessHandle> frozen) {
        signal("-CONT", frozen);
    }

    private static void signal(String signal, List<ProcessHandle> processes) {
        List<String> kill = new ArrayList<>(List.of("kill", signal));
        processes.forEach((process) -> kill.add(Long.toString(process.pid())));
        try {
            new ProcessBuilder(kill).start().waitFor();
        }
        catch (IOException | InterruptedException ex) {
            throw new IllegalStateException(String.join(" ", kill), ex);
        }
    }

    /** Returns a connection as new: tests set what they like, and end connections. */
    private Connection connect(String database) throws SQLException {
        HikariDataSource pool = this.pools.get(database);
        SQLException failure = new SQLException("Could not use a connection: database=" + database);
        for (int kept = 0; kept <= pool.getMaximumPoolSize(); kept++) {
            Connection connection = pool.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("reset all");
                return connection;
            }
            catch (SQLException ex) {
                // ended since it was used last: the pool drops it
                connection.close();
                failure.addSuppressed(ex);
            }
        }
        throw failure;
    }

}
