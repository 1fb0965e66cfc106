package io.shardedid.clusters;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

import io.shardedid.tools.FreePort;

/**
 * PgBouncer before databases whose user is {@code postgres}.
 */
final class PgBouncer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path configuration;

    private final int port = FreePort.find();

    private final String first;

    private Program pooler;

    /**
     * Starts the pooler.
     * @param mode {@code session} or {@code transaction}
     * @param connections how many it opens to each database at most
     * @param databases where a database is, by its name: an address of libpq
     */
    PgBouncer(Path folder, String mode, int connections, Map<String, String> databases) throws Exception {
        this.first = databases.keySet().iterator().next();
        this.configuration = Files.writeString(folder.resolve("pgbouncer-" + this.port + ".ini"),
                """
                        [databases]
                        %s
                        [pgbouncer]
                        listen_addr = 127.0.0.1
                        listen_port = %s
                        unix_socket_dir =
                        auth_type = any
                        pool_mode = %s
                        default_pool_size = %s
                        max_client_conn = 1000
                        server_login_retry = 1
                        """.formatted(databases.entrySet()
                    .stream()
                    .map((database) -> "%s = %s dbname=postgres user=postgres".formatted(database.getKey(),
                            database.getValue()))
                    .collect(Collectors.joining("\n")), this.port, mode, connections));
        start();
    }

    void start() throws Exception {
        this.pooler = Program.start(this.configuration.resolveSibling(this.configuration.getFileName() + ".log"),
                Map.of(), Program.notAsRoot("pgbouncer", this.configuration.toString()));
        Program.await("the pooler answers", PATIENCE, () -> {
            DriverManager.getConnection(url(this.first), "postgres", "").close();
            return true;
        });
    }

    void kill() {
        this.pooler.signal("KILL");
    }

    void stop() {
        this.pooler.signal("STOP");
    }

    void resume() {
        this.pooler.signal("CONT");
    }

    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:%s/%s".formatted(this.port, database);
    }

    @Override
    public void close() {
        this.pooler.close();
    }

}
