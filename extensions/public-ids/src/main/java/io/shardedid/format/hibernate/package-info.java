/**
 * The checks of forms when Hibernate builds a session factory.
 */
@NullMarked
package io.shardedid.format.hibernate;

import org.jspecify.annotations.NullMarked;
