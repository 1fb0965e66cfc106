/**
 * Photos, their pictures, and how they are published.
 */
@NullMarked
package io.shardedid.sample.photo;

import org.jspecify.annotations.NullMarked;
