package io.shardedid.internal.lease.fleet;

import java.io.IOException;

/** Signals to processes. */
public final class Signals {

    private Signals() {
    }

    /**
     * Sends one; a process that has ended meanwhile does not matter.
     * @param name the name without SIG
     */
    public static void send(String name, long pid) {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        }
        catch (IOException ex) {
            throw new IllegalStateException("Could not send SIG" + name, ex);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

}
