package io.shardedid.spring.checkpoint;

/** As {@code org.crac} looks for it in a JDK. */
public interface Resource {

    void beforeCheckpoint(Context<? extends Resource> context) throws Exception;

    void afterRestore(Context<? extends Resource> context) throws Exception;

}
