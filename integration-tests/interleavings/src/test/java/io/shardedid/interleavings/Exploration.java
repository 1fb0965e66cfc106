package io.shardedid.interleavings;

import java.util.logging.Level;
import java.util.logging.Logger;

import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** Explores one scene, in this JVM or as the main class of another one. */
final class Exploration {

    static final int FOUND = 3;

    private static final int SCENARIOS = 20;

    /** What the log does is no part of a scene, and has many more schedules. */
    private static final Logger LOG = Logger.getLogger("io.shardedid");

    private Exploration() {
    }

    /**
     * Explores a scene, or the operations of a class that is to be linearizable.
     * @throws LincheckAssertionError if a schedule breaks it
     */
    static void explore(Class<?> what, int schedules) throws ReflectiveOperationException {
        if (!Scene.class.isAssignableFrom(what)) {
            new ModelCheckingOptions().iterations(SCENARIOS)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .invocationsPerIteration(schedules / SCENARIOS)
                .check(what);
            return;
        }
        LOG.setLevel(Level.OFF);
        Scene scene = (Scene) what.getDeclaredConstructor().newInstance();
        try {
            // loads the classes, which is no part of any schedule
            scene.run();
        }
        catch (AssertionError ex) {
            // the exploration finds it, too
        }
        Lincheck.runConcurrentTest(schedules, scene);
    }

    public static void main(String[] args) throws Exception {
        try {
            explore(Class.forName(args[0]), Integer.parseInt(args[1]));
        }
        catch (LincheckAssertionError ex) {
            System.out.println(ex.getMessage());
            System.exit(FOUND);
        }
    }

}
