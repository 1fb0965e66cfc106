package io.shardedid.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** A PostgreSQL server that asks every role but its administrator for the password. */
final class PasswordServer implements AutoCloseable {

    private final EmbeddedPostgres server;

    private PasswordServer(EmbeddedPostgres server) {
        this.server = server;
    }

    static PasswordServer start() throws Exception {
        PasswordServer started = new PasswordServer(
                EmbeddedPostgres.builder().setPort(FreePort.find()).setPGStartupWait(Duration.ofSeconds(90)).start());
        Files.writeString(Path.of(started.one("SHOW hba_file")), """
                local all all trust
                host all postgres 127.0.0.1/32 trust
                host all all 127.0.0.1/32 scram-sha-256
                """);
        started.run("SELECT pg_reload_conf()");
        return started;
    }

    int port() {
        return this.server.getPort();
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(port());
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = this.server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    String one(String query) throws SQLException {
        try (Connection connection = this.server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            found.next();
            return found.getString(1);
        }
    }

    /** Lets a role log in by another password from now on, and ends its sessions. */
    void rotate(String role, String password) throws SQLException {
        run("ALTER ROLE %s PASSWORD '%s'".formatted(role, password),
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '%s'".formatted(role));
    }

    @Override
    public void close() throws IOException {
        this.server.close();
    }

}
