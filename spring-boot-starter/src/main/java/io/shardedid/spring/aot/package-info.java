/**
 * What a native image has to be told.
 */
@NullMarked
package io.shardedid.spring.aot;

import org.jspecify.annotations.NullMarked;
