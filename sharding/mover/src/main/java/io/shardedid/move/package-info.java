/** Moves logical shards from one PostgreSQL database to another by a closed copy. */
@NullMarked
package io.shardedid.move;

import org.jspecify.annotations.NullMarked;
