package io.shardedid.worker.fleet;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.shardedid.tck.LeaseFleet;
import io.shardedid.worker.LeaseReply;
import io.shardedid.worker.LeaseSettings;
import io.shardedid.worker.LeaseStatement;
import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.WorkerLeases;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A server of HSQLDB that is killed while processes make ids. */
@Tag("proof")
class HsqldbFleetIT {

    @TempDir
    private Path folder;

    /** A process of the fleet leases by this. */
    static final class Source implements LeaseFleet.Source {

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            return JdbcWorkerLeases.leased(settings.build(), LeaseConnections.url(address, "SA", ""),
                    JdbcWorkerLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS, List.of());
        }

    }

    @Test
    void noFaultOfProcessOrServerMakesTwoEqualIds() throws Exception {
        Duration length = Duration.ofSeconds(Integer.getInteger("shardedid.proof.seconds", 6));
        int port = freePort();
        String url = "jdbc:hsqldb:hsql://127.0.0.1:" + port + "/x";
        Process server = server(port);
        LeaseFleet fleet = new LeaseFleet(Source.class, url, Files.createDirectories(this.folder.resolve("ids")));
        fleet.start(4);
        try (LeaseStore store = JdbcWorkerLeases.store("fleet", LeaseConnections.url(url, "SA", ""),
                JdbcWorkerLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS)) {
            fleet.run(Duration.ofSeconds(5));
            fleet.disturb(length, 1);
            server.destroyForcibly().waitFor();
            fleet.disturb(Duration.ofSeconds(3), 2);
            server = server(port);
            while (!(store.execute(new LeaseStatement.ReadAll()) instanceof LeaseReply.Rows)) {
                Thread.onSpinWait();
            }
            Instant again = Instant.now();
            fleet.disturb(length, 3);

            LeaseFleet.Outcome outcome = fleet.end();

            System.out.printf("%,d ids, %d twice, %s after the server was back%n", outcome.ids(), outcome.duplicates(),
                    outcome.until(again));
            assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
            assertThat(outcome.ids()).isGreaterThan(50_000);
            assertThat(outcome.until(again)).isLessThan(Duration.ofSeconds(2));
        }
        finally {
            server.destroyForcibly();
        }
    }

    private Process server(int port) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-cp",
                System.getProperty("java.class.path"), "org.hsqldb.server.Server", "--database.0",
                "file:" + this.folder.resolve("x") + ";hsqldb.write_delay=false", "--dbname.0", "x", "--port",
                String.valueOf(port), "--silent", "true")
            .redirectErrorStream(true)
            .redirectOutput(this.folder.resolve("server.log").toFile())
            .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

}
