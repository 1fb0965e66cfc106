/**
 * A photo feed sorted by id: the sample of ShardedId.
 */
@NullMarked
package io.shardedid.sample;

import org.jspecify.annotations.NullMarked;
