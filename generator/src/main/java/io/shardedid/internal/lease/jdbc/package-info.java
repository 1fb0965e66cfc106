/**
 * The lease table in a database, by plain JDBC: the connections to it, its set-up and its
 * dialects. The package sees no Hibernate.
 */
@NullMarked
package io.shardedid.internal.lease.jdbc;

import org.jspecify.annotations.NullMarked;
