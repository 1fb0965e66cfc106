package io.shardedid.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers of tests, below those that Linux gives connections for their own end:
 * one of these would take the port before the server does, or while it is down.
 */
public final class FreePort {

    private FreePort() {
    }

    /** Returns a port on which nobody listens now. */
    public static int find() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            }
            catch (BindException ex) {
                // Somebody has it.
            }
            catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
        throw new IllegalStateException("Could not find a free port: attempts=100, ports=20000 to 31999");
    }

}
