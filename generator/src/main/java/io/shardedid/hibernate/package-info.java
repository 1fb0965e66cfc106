/**
 * The identifier generator for Hibernate: the only package that sees Hibernate.
 */
@NullMarked
package io.shardedid.hibernate;

import org.jspecify.annotations.NullMarked;
