/**
 * What a release needs beside the build: the key of a rehearsal and the recorded public
 * types.
 */
@org.jspecify.annotations.NullMarked
package io.shardedid.release;
