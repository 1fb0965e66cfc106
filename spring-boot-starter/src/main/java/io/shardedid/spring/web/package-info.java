/**
 * What Spring MVC answers when an id cannot be read or made.
 */
@NullMarked
package io.shardedid.spring.web;

import org.jspecify.annotations.NullMarked;
