package io.shardedid.hibernate;

/**
 * Tells Spring's processing ahead of time from an application that runs: Spring Data
 * builds a session factory there, without a database and without Spring's beans, only to
 * look at its metamodel.
 */
final class AotProcessing {

    /** By its own word, {@code AbstractAotProcessor}. */
    private static final String MARKER = "spring.aot.processing";

    private AotProcessing() {
    }

    static boolean runs() {
        return Boolean.getBoolean(MARKER);
    }

}
