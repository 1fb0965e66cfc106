/**
 * Ids of other forms in Spring: the beans, and what reads and writes ids without JSON.
 */
@NullMarked
package io.shardedid.format.spring;

import org.jspecify.annotations.NullMarked;
