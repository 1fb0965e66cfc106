/**
 * The identifier generator for Hibernate with its service, its functions and its checks.
 * Only this package and {@code io.shardedid.hibernate.key} see Hibernate.
 */
@NullMarked
package io.shardedid.hibernate;

import org.jspecify.annotations.NullMarked;
