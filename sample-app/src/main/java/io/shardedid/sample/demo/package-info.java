/**
 * Users and photos that a first start finds.
 */
@NullMarked
package io.shardedid.sample.demo;

import org.jspecify.annotations.NullMarked;
