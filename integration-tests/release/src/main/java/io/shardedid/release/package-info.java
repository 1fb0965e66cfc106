/**
 * The key of a rehearsed release.
 */
@org.jspecify.annotations.NullMarked
package io.shardedid.release;
