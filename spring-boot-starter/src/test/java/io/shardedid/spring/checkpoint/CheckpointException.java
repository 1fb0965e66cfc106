package io.shardedid.spring.checkpoint;

/** As {@code org.crac} looks for it in a JDK. */
public class CheckpointException extends Exception {

    private static final long serialVersionUID = 1L;

}
