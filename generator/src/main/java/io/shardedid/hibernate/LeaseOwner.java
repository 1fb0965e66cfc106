package io.shardedid.hibernate;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Says who holds a lease, for people: {@code orders on pod-7, pid 1}. Nothing depends on
 * it.
 */
final class LeaseOwner {

    private LeaseOwner() {
    }

    static String of(String application) {
        String process = "%s, pid %d".formatted(host(), ProcessHandle.current().pid());
        return application.isEmpty() ? process : application + " on " + process;
    }

    /** The environment first: a look-up may ask a name server that is not there. */
    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name != null && !name.isBlank()) {
            return name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        }
        catch (UnknownHostException ex) {
            return "unknown host";
        }
    }

}
