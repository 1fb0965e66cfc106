package io.shardedid.clusters;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;

import io.shardedid.tools.FreePort;

/**
 * Pgpool-II before a primary and a standby, which gets each statement that may be
 * balanced.
 */
final class Pgpool implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path configuration;

    private final Path passwords;

    private final int port = FreePort.find();

    private Program pooler;

    /**
     * Starts the pooler.
     * @param settings further settings, such as {@code log_per_node_statement = on}
     */
    Pgpool(Path folder, Postgres primary, Postgres standby, String settings) throws Exception {
        this.passwords = Files.createFile(folder.resolve("pcp.conf"));
        this.configuration = Files.writeString(folder.resolve("pgpool.conf"), """
                listen_addresses = '127.0.0.1'
                port = %s
                pcp_port = %s
                socket_dir = '%3$s'
                pcp_socket_dir = '%3$s'
                wd_ipc_socket_dir = '%3$s'
                pid_file_name = '%3$s/pgpool.pid'
                logdir = '%3$s'
                num_init_children = 40
                max_pool = 1
                backend_clustering_mode = 'streaming_replication'
                backend_hostname0 = '127.0.0.1'
                backend_port0 = %4$d
                backend_weight0 = 0
                backend_flag0 = 'DISALLOW_TO_FAILOVER'
                backend_hostname1 = '127.0.0.1'
                backend_port1 = %5$d
                backend_weight1 = 1
                backend_flag1 = 'DISALLOW_TO_FAILOVER'
                sr_check_period = 1
                sr_check_user = 'postgres'
                load_balance_mode = on
                %6$s
                """.formatted(this.port, FreePort.find(), folder, primary.port(), standby.port(), settings));
        start();
    }

    void start() throws Exception {
        this.pooler = Program.start(this.configuration.resolveSibling("pgpool.log"), Map.of(), Program
            .notAsRoot("pgpool", "-n", "-D", "-f", this.configuration.toString(), "-F", this.passwords.toString()));
        Program.await("the pooler answers", PATIENCE, () -> {
            DriverManager.getConnection(url(), "postgres", "").close();
            return true;
        });
    }

    void kill() {
        this.pooler.signal("KILL");
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(this.port);
    }

    @Override
    public void close() {
        this.pooler.close();
    }

}
