/**
 * The record of the public types that the next version is compared with.
 */
@org.jspecify.annotations.NullMarked
package io.shardedid.api;
