/**
 * Hints for native images, and for processing ahead of time.
 */
@NullMarked
package io.shardedid.spring.aot;

import org.jspecify.annotations.NullMarked;
