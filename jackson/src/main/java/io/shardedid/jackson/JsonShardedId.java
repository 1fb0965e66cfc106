package io.shardedid.jackson;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that an attribute of a class that is no entity holds a sharded id, so that JSON
 * carries it as a string: for request and response records and for projections. The
 * annotation fits {@code long}, {@code Long} and {@code OptionalLong}; collections,
 * arrays, optionals and maps (keys and values) that hold them, at any depth; and types
 * that Jackson writes as a {@code @JsonValue} of 64 bits. Elsewhere Jackson refuses the
 * class when it first meets it. {@link ShardedIdJacksonModule} and
 * {@link ShardedIdJackson2Module} read the annotation; without them it means nothing.
 *
 * <pre>
 * record PhotoView(&#64;JsonShardedId long id, String caption) {
 * }
 * </pre>
 *
 * <p>
 * Attributes of entities do not need it: {@link io.shardedid.ShardedId} says the same.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT })
public @interface JsonShardedId {

}
