/**
 * Likes: giving one, taking it back, counting.
 */
@NullMarked
package io.shardedid.sample.like;

import org.jspecify.annotations.NullMarked;
