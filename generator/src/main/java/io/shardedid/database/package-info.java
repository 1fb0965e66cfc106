/**
 * Ids made inside the database: the scripts that define its functions. Text only, no
 * connection.
 */
@NullMarked
package io.shardedid.database;

import org.jspecify.annotations.NullMarked;
