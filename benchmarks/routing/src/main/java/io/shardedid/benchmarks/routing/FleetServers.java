package io.shardedid.benchmarks.routing;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.shardedid.IdLayout;
import io.shardedid.shards.ShardFence;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * PostgreSQL servers with databases of the same tables. The first database is the home.
 */
final class FleetServers implements AutoCloseable {

    /** 1,023 processes. */
    static final IdLayout LAYOUT = IdLayout.builder().timeBits(40).shardBits(11).workerBits(10).sequenceBits(2).build();

    private static final String TEMPLATE = "template";

    private final FleetSize size;

    private final List<EmbeddedPostgres> servers = new ArrayList<>();

    FleetServers(FleetSize size) throws IOException, SQLException {
        this.size = size;
        for (int i = 0; i < size.servers(); i++) {
            this.servers.add(EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofSeconds(90))
                .setServerConfig("fsync", "off")
                .setServerConfig("wal_level", "logical")
                .setServerConfig("max_connections", "3000")
                .setServerConfig("shared_buffers", "64MB")
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .start());
        }
        for (EmbeddedPostgres server : this.servers) {
            execute(server, "postgres", "create database " + TEMPLATE);
            execute(server, TEMPLATE, """
                    create table photo (id bigint primary key, user_id bigint not null, caption varchar(255) not null);
                    create index on photo (user_id);
                    create index on photo (((id >> %d) & %d), id);
                    """.formatted(LAYOUT.workerBits() + LAYOUT.sequenceBits(), (1 << LAYOUT.shardBits()) - 1));
            execute(server, TEMPLATE, ShardFence.script(LAYOUT, size.shards(), "photo"));
        }
        for (int i = 0; i < size.databases(); i++) {
            execute(server(i), "postgres", "create database %s template %s".formatted(name(i), TEMPLATE));
        }
        home("create extension pg_stat_statements");
    }

    static String name(int database) {
        return "d" + database;
    }

    private EmbeddedPostgres server(int database) {
        return this.servers.get(database * this.size.servers() / this.size.databases());
    }

    /** What applications and the mover read, at the defaults of the router. */
    Properties properties() {
        Properties properties = new Properties();
        for (int i = 0; i < this.size.databases(); i++) {
            String prefix = "shardedid.databases." + name(i);
            properties.setProperty(prefix + ".url", url(server(i), name(i)));
            properties.setProperty(prefix + ".username", "postgres");
        }
        properties.setProperty("shardedid.databases.home", name(0));
        properties.setProperty("shardedid.databases.start", "home");
        properties.setProperty("shardedid.databases.refresh", this.size.refresh().toSeconds() + "s");
        properties.setProperty("shardedid.databases.initial-map", IntStream.range(0, this.size.databases())
            .mapToObj((i) -> "%d-%d: %s".formatted(this.size.firstShard(i), this.size.firstShard(i + 1) - 1, name(i)))
            .collect(Collectors.joining(", ")));
        properties.setProperty("shardedid.shards", Integer.toString(this.size.shards()));
        properties.setProperty("shardedid.layout.shard-bits", Integer.toString(LAYOUT.shardBits()));
        properties.setProperty("shardedid.layout.worker-bits", Integer.toString(LAYOUT.workerBits()));
        properties.setProperty("shardedid.layout.sequence-bits", Integer.toString(LAYOUT.sequenceBits()));
        properties.setProperty("shardedid.worker.lease.initialize-schema", "always");
        return properties;
    }

    /** Writes the properties into a file for other JVMs. */
    Path file() throws IOException {
        Path file = Files.createTempFile("fleet", ".properties");
        file.toFile().deleteOnExit();
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties().store(writer, null);
        }
        return file;
    }

    /** Returns how many connections each server has, without those of this class. */
    List<Integer> connections() throws SQLException {
        List<Integer> connections = new ArrayList<>();
        for (EmbeddedPostgres server : this.servers) {
            connections.add(Integer.parseInt(query(server, "postgres",
                    "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()")
                .get(0)));
        }
        return connections;
    }

    void home(String sql) throws SQLException {
        execute(server(0), name(0), sql);
    }

    /** Asks the home database for one column. */
    List<String> askHome(String sql) throws SQLException {
        return query(server(0), name(0), sql);
    }

    private static void execute(EmbeddedPostgres server, String database, String sql) throws SQLException {
        try (Connection connection = connect(server, database); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> query(EmbeddedPostgres server, String database, String sql) throws SQLException {
        try (Connection connection = connect(server, database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }

    private static Connection connect(EmbeddedPostgres server, String database) throws SQLException {
        return DriverManager.getConnection(url(server, database), "postgres", "");
    }

    private static String url(EmbeddedPostgres server, String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(server.getPort(), database);
    }

    @Override
    public void close() throws IOException {
        for (EmbeddedPostgres server : this.servers) {
            server.close();
        }
    }

}
