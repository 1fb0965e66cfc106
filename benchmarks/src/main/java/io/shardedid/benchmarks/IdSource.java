package io.shardedid.benchmarks;

/**
 * Something that makes ids, each from one call.
 */
public interface IdSource extends AutoCloseable {

    /** Makes an id. */
    long next();

    @Override
    default void close() {
    }

}
