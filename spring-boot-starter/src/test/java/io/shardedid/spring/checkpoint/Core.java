package io.shardedid.spring.checkpoint;

/**
 * What a JDK with CRaC offers, without the checkpoint: the process goes on at once. The
 * classes of this package are named to {@code org.crac} in place of those of a JDK.
 */
public final class Core {

    private static final Context<Resource> GLOBAL = new Context<>();

    /** What to look at while the process stands still. */
    static volatile Runnable atCheckpoint = () -> {
    };

    private Core() {
    }

    public static Context<Resource> getGlobalContext() {
        return GLOBAL;
    }

    public static void checkpointRestore() throws CheckpointException, RestoreException {
        try {
            GLOBAL.checkpoint(atCheckpoint);
        }
        catch (Exception ex) {
            CheckpointException failed = new CheckpointException();
            failed.addSuppressed(ex);
            throw failed;
        }
    }

}
