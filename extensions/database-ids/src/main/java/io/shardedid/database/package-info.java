/**
 * Ids made inside the database: the scripts that define its functions, and the entities
 * of Hibernate that leave their identifiers to triggers. No connection.
 */
@NullMarked
package io.shardedid.database;

import org.jspecify.annotations.NullMarked;
