package io.shardedid.config;

import io.shardedid.worker.Host;

/**
 * Says who holds a lease, for people: {@code orders on pod-7, pid 1}. Nothing depends on
 * it.
 */
final class LeaseOwner {

    private LeaseOwner() {
    }

    static String of(String application) {
        String process = "%s, pid %d".formatted(Host.LOCAL.name(), ProcessHandle.current().pid());
        return application.isEmpty() ? process : application + " on " + process;
    }

}
