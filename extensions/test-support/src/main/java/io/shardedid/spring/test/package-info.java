/**
 * Predictable ids in tests of Spring Boot applications.
 */
@NullMarked
package io.shardedid.spring.test;

import org.jspecify.annotations.NullMarked;
