/**
 * The identifier generator for Hibernate with its service, its functions and its checks,
 * and what the mapping says of shard keys. Only this package sees Hibernate.
 */
@NullMarked
package io.shardedid.hibernate;

import org.jspecify.annotations.NullMarked;
