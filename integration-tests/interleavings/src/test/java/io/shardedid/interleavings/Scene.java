package io.shardedid.interleavings;

/**
 * Two threads over production classes, and what has to hold whenever either of them is
 * stopped for the other one. Lincheck runs a scene once for each schedule.
 *
 * <p>
 * What the threads share stands in fields of the scene. Lincheck does not see what a
 * lambda captures, and then takes it for the property of one thread.
 */
public abstract class Scene implements Runnable {

    /** Makes what the threads share. */
    protected abstract void begin();

    protected abstract void first();

    protected abstract void second();

    /** Checks what the threads have left, when both have ended. */
    protected abstract void end();

    @Override
    public final void run() {
        begin();
        Thread first = new First();
        Thread second = new Second();
        first.start();
        second.start();
        try {
            first.join();
            second.join();
        }
        catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
        end();
    }

    protected static void check(boolean holds, String broken) {
        if (!holds) {
            throw new AssertionError(broken);
        }
    }

    private final class First extends Thread {

        @Override
        public void run() {
            first();
        }

    }

    private final class Second extends Thread {

        @Override
        public void run() {
            second();
        }

    }

}
