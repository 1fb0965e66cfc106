/**
 * Ids made inside the database: the scripts that define its functions and triggers. No
 * connection.
 */
@NullMarked
package io.shardedid.database;

import org.jspecify.annotations.NullMarked;
