/**
 * A hundred thousand rows at once, with three kinds of ids.
 */
@NullMarked
package io.shardedid.sample.storm;

import org.jspecify.annotations.NullMarked;
