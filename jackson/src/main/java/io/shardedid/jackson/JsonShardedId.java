package io.shardedid.jackson;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;

/**
 * Says that a member holds sharded ids, so that JSON carries them as strings: for request
 * and response records, projections, and attributes of entities that hold the id of
 * another entity. An entity's own {@link io.shardedid.ShardedId} says the same. The
 * annotation fits {@code long}, {@code Long}, {@code OptionalLong} and
 * {@code AtomicLong}, and collections, arrays, optionals and values of maps that hold
 * them, at any depth.
 *
 * <p>
 * With {@link ShardedIdJacksonModule} or {@link ShardedIdJackson2Module} all of these are
 * strings, and reading is strict. A mapper of Jackson without the module writes
 * {@code long} and {@code Long} as strings, and collections and maps of them, but no
 * {@code long[]}, {@code OptionalLong} or {@code AtomicLong}.
 *
 * <pre>
 * record PhotoView(&#64;JsonShardedId long id, &#64;JsonShardedId List&lt;Long&gt; likedBy, String caption) {
 * }
 * </pre>
 *
 * @since 0.1
 */
@Documented
@JacksonAnnotationsInside
@JsonFormat(shape = JsonFormat.Shape.STRING)
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT })
public @interface JsonShardedId {

}
