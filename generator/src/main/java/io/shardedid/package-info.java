/**
 * The id, its layout and the engine that makes ids: no Hibernate, no Spring, no SQL. (The
 * annotation {@link io.shardedid.ShardedId} alone carries Hibernate's meta-annotation.)
 */
@NullMarked
package io.shardedid;

import org.jspecify.annotations.NullMarked;
