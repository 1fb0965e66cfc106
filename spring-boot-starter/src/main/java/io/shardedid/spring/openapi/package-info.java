/**
 * Sharded ids in OpenAPI descriptions made by springdoc.
 */
@NullMarked
package io.shardedid.spring.openapi;

import org.jspecify.annotations.NullMarked;
