package io.shardedid.spring.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a path variable or request parameter of a controller holds a sharded id. What
 * can be none is answered with 400 and a problem detail before the method is called, and
 * OpenAPI shows it as a string.
 *
 * <pre>
 * &#64;GetMapping("/photos/{id}")
 * PhotoView photo(&#64;PathVariable &#64;UrlShardedId long id) {
 * </pre>
 *
 * <p>
 * An id is decimal digits, without the {@code 0x1f} and {@code #1f} that Spring reads as
 * numbers too. Where the context has one {@link io.shardedid.ShardedIds ShardedIds}, its
 * time must have come and its shard must exist; ids of other processes may be ahead by
 * {@code shardedid.clock.max-ahead} and 10 s, and ids that the lease table knows to be
 * older than the generator are let through. An empty request parameter is none. Of a
 * collection each element is checked. The type of the parameter may be any that Spring
 * converts text to: {@code long}, {@code Long}, a record with a static
 * {@code valueOf(String)}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.PARAMETER, ElementType.ANNOTATION_TYPE })
public @interface UrlShardedId {

}
