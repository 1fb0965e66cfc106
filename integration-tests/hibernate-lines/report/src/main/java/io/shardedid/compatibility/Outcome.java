package io.shardedid.compatibility;

/**
 * What came of a row in one run; the worse of two is the greater.
 */
enum Outcome {

    PASSED, SKIPPED, RED;

    Outcome and(Outcome other) {
        return (compareTo(other) >= 0) ? this : other;
    }

}
