/**
 * Predictable ids for tests: a clock that is set, and a worker that needs no database.
 */
@NullMarked
package io.shardedid.test;

import org.jspecify.annotations.NullMarked;
