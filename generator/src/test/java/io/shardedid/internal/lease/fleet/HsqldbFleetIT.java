package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.tck.LeaseFleet;
import io.shardedid.tools.FreePort;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A server of HSQLDB that is killed while processes make ids. */
@Tag("proof")
@Tag("nightly")
class HsqldbFleetIT {

    /** The window of a fleet. */
    private static final Duration WINDOW = Duration.ofSeconds(4);

    @TempDir
    private Path folder;

    /** A process of the fleet leases by this. */
    static final class Source implements LeaseFleet.Source {

        @Override
        public WorkerLeases open(String address, LeaseSettings.Builder settings) {
            return JdbcLeases.leased(settings.build(), LeaseConnections.url(address, "SA", ""),
                    JdbcLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS, List.of());
        }

    }

    @Test
    void noFaultOfProcessOrServerMakesTwoDuplicateIds() throws Exception {
        Duration length = Duration.ofSeconds(ProofLength.of(6, 45));
        int port = FreePort.find();
        String url = "jdbc:hsqldb:hsql://127.0.0.1:" + port + "/x";
        Process server = server(port);
        try (LeaseFleet fleet = new LeaseFleet(Source.class, url,
                Files.createDirectories(this.folder.resolve("ids")))) {
            fleet.start(4);
            fleet.awaitIds();
            fleet.disturb(length, 1);
            fleet.awaitIds();
            server.destroyForcibly().waitFor();
            Instant killed = Instant.now();
            fleet.run(WINDOW.plusSeconds(2));
            Instant restarted = Instant.now();
            server = server(port);
            awaitServer(url);
            Instant again = Instant.now();
            fleet.awaitIds();
            fleet.disturb(length, 2);

            LeaseFleet.Outcome outcome = fleet.end();

            System.out.printf("%,d ids, %s twice; each process after the server was back: %s%n", outcome.ids(),
                    outcome.duplicates(), outcome.until(again));
            assertThat(outcome.duplicates()).as("ids that were made twice").isZero();
            assertThat(outcome.ids()).isGreaterThan(50_000);
            assertThat(outcome.madeIds(killed.plus(WINDOW).plusSeconds(1), restarted)).as("ids without a lease")
                .isFalse();
            assertThat(outcome.until(again)).allMatch((time) -> time.compareTo(Duration.ofSeconds(30)) < 0);
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

    /** The port is open before the database is, which waits for its lock file. */
    private static void awaitServer(String url) {
        for (int i = 0; i < 6_000; i++) {
            try (Connection connection = DriverManager.getConnection(url, "SA", "")) {
                return;
            }
            catch (SQLException ex) {
                LockSupport.parkNanos(10_000_000);
            }
        }
        throw new AssertionError("The server did not start within a minute: " + url);
    }

}
