/**
 * What the ids are doing just now.
 */
@NullMarked
package io.shardedid.sample.dashboard;

import org.jspecify.annotations.NullMarked;
