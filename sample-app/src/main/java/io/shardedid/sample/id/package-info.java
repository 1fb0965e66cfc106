/**
 * Ids: what the 64 bits of any id mean.
 */
@NullMarked
package io.shardedid.sample.id;

import org.jspecify.annotations.NullMarked;
