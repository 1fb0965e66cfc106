package io.shardedid.tools;

/**
 * How long a proof runs: as long as each build has time for, or longer by hand with
 * {@code -Dproof.length=long}.
 */
public final class ProofLength {

    private static final boolean LONG = "long".equals(System.getProperty("proof.length"));

    private ProofLength() {
    }

    /** One of two lengths. */
    public static <T> T of(T inEachBuild, T byHand) {
        return LONG ? byHand : inEachBuild;
    }

}
