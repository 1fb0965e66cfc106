/**
 * Sharded ids in URLs, and what is answered when one cannot be read or made.
 */
@NullMarked
package io.shardedid.spring.web;

import org.jspecify.annotations.NullMarked;
