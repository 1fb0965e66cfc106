package io.shardedid.sample.laboratory;

import java.io.IOException;
import java.util.Comparator;
import java.util.stream.Collectors;

import io.shardedid.sample.postgres.PostgresServer;

/**
 * Stops every process of the sample's own PostgreSQL by a signal, as a machine stops that
 * is paused: nobody is told, connections stay open and silent. The shell sends it: not
 * every Linux has a program {@code kill}.
 */
final class PostgresStop implements DatabaseStop {

    private final PostgresServer server;

    private boolean stopped;

    PostgresStop(PostgresServer server) {
        this.server = server;
    }

    @Override
    public synchronized void stop() {
        signal("-STOP");
        this.stopped = true;
    }

    @Override
    public synchronized void resume() {
        if (this.stopped) {
            signal("-CONT");
            this.stopped = false;
        }
    }

    /** The postmaster first, so that it starts no other meanwhile. */
    private void signal(String signal) {
        String command = this.server.processes()
            .stream()
            .map(ProcessHandle::pid)
            .sorted(Comparator.naturalOrder())
            .map(String::valueOf)
            .collect(Collectors.joining(" ", "kill " + signal + " ", ""));
        try {
            int status = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start().waitFor();
            if (status != 0 && signal.equals("-STOP")) {
                throw new IllegalStateException("Could not signal PostgreSQL: status=" + status);
            }
        }
        catch (IOException ex) {
            throw new IllegalStateException("Could not signal PostgreSQL: this system has no 'sh'", ex);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

}
