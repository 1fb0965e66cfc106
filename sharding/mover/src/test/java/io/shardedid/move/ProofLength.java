package io.shardedid.move;

/**
 * How long a proof runs: as long as each build has time for, or longer by hand with
 * {@code -Dproof.length=long}.
 */
final class ProofLength {

    private static final boolean LONG = "long".equals(System.getProperty("proof.length"));

    private ProofLength() {
    }

    /** One of two numbers. */
    static int of(int inEachBuild, int byHand) {
        return LONG ? byHand : inEachBuild;
    }

}
