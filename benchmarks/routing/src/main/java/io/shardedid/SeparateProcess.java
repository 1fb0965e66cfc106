package io.shardedid;

/**
 * An engine as another process would have it: the registry of this JVM does not know it.
 */
public final class SeparateProcess {

    private SeparateProcess() {
    }

    /** Opens the engine, whatever this JVM has opened already. */
    public static ShardedIdEngine open(ShardedIdsBuilder builder) {
        return builder.registry(new EngineRegistry()).open();
    }

}
