package io.shardedid.testdb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SwallowingProxyTest {

    /** Otherwise a client without a timeout waits for a server that crashed. */
    @Test
    void resetByTheServerReachesTheClient() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
                SwallowingProxy network = SwallowingProxy.to("127.0.0.1", server.getLocalPort());
                Socket client = new Socket("127.0.0.1", network.port())) {
            client.setSoTimeout(20_000);
            client.getOutputStream().write(1);
            try (Socket accepted = server.accept()) {
                assertThat(accepted.getInputStream().read()).isOne();
                accepted.setSoLinger(true, 0);
            }
            assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.getInputStream().read());
        }
    }

}
