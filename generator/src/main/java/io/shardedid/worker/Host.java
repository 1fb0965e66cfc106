package io.shardedid.worker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;

/**
 * What the machine under this process is called.
 */
interface Host {

    /** This machine. */
    Host LOCAL = new Host() {

        /** The environment first: a look-up may ask a name server that is not there. */
        @Override
        public String name() {
            String name = System.getenv("HOSTNAME");
            if (name != null && !name.isBlank()) {
                return name;
            }
            try {
                return InetAddress.getLocalHost().getHostName();
            }
            catch (IOException ex) {
                return "unknown host";
            }
        }

        @Override
        public List<InetAddress> addresses() {
            try {
                return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
            }
            catch (IOException ex) {
                return List.of();
            }
        }
    };

    /** The name in {@code HOSTNAME}, else the one that it knows of itself. */
    String name();

    /** The addresses of all its interfaces, in their order. */
    List<InetAddress> addresses();

}
