package io.shardedid.sample.laboratory;

/**
 * A way to have a database answer nobody, and to have it go on.
 */
interface DatabaseStop {

    /** Stops it. Statements wait, connections stay. */
    void stop();

    /** Has it go on; does nothing while it runs. */
    void resume();

}
