package io.shardedid.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Where rows are inserted.
 */
enum Database {

    /** In this process' memory. */
    H2 {

        @Override
        Opened open() {
            return opened("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", () -> {
            });
        }

    },

    /** A server on this machine, on its defaults. */
    POSTGRESQL {

        @Override
        Opened open() throws IOException {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            return opened(
                    "jdbc:postgresql://127.0.0.1:%d/postgres?reWriteBatchedInserts=true".formatted(server.getPort()),
                    "postgres", () -> {
                        try {
                            server.close();
                        }
                        catch (IOException ex) {
                            throw new UncheckedIOException(ex);
                        }
                    });
        }

    };

    abstract Opened open() throws IOException;

    private static Opened opened(String url, String user, Runnable stop) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setMaximumPoolSize(4);
        return new Opened(new HikariDataSource(config), stop);
    }

    /**
     * A database that runs.
     */
    record Opened(HikariDataSource dataSource, Runnable stop) implements AutoCloseable {

        @Override
        public void close() {
            this.dataSource.close();
            this.stop.run();
        }

    }

}
