/**
 * Things that go wrong at the push of a button, under the profile {@code chaos}.
 */
@NullMarked
package io.shardedid.sample.chaos;

import org.jspecify.annotations.NullMarked;
