/**
 * Auto-configuration of ShardedId: properties, the engine, its way into Hibernate, and
 * what is said when something is wrong.
 */
@NullMarked
package io.shardedid.spring.boot;

import org.jspecify.annotations.NullMarked;
