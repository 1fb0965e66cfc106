/**
 * Pages and JSON of photos sorted by id: all, of one user, of a time window, one.
 */
@NullMarked
package io.shardedid.sample.feed;

import org.jspecify.annotations.NullMarked;
