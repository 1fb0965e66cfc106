/**
 * Sharded ids in Spring Data JDBC, which needs neither JPA nor Hibernate.
 */
@NullMarked
package io.shardedid.spring.data.jdbc;

import org.jspecify.annotations.NullMarked;
