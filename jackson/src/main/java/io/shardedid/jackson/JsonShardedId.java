package io.shardedid.jackson;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;

/**
 * Says that an attribute of a class that is no entity holds a sharded id, so that JSON
 * carries it as a string: for request and response records and for projections. With the
 * entity, it carries the {@link io.shardedid.PublicId form} of that entity's ids, and so
 * do path variables and request parameters of Spring. The annotation fits {@code long},
 * {@code Long} and {@code OptionalLong}; collections, arrays, optionals and maps (keys
 * and values) that hold them, at any depth; and types that Jackson writes as a
 * {@code @JsonValue} of 64 bits. Elsewhere Jackson refuses the class when it first meets
 * it. On a parameter of a controller it fits {@code long} and {@code Long}, and
 * collections, arrays and optionals of them. {@link ShardedIdJacksonModule} and
 * {@link ShardedIdJackson2Module} read the annotation. A mapper of Jackson without them
 * writes the digits as a string in {@code long}, {@code Long}, and in elements of
 * collections and values of maps, but knows no forms, arrays or keys.
 *
 * <pre>
 * record PhotoView(&#64;JsonShardedId(Photo.class) long id, String caption) {
 * }
 * </pre>
 *
 * <p>
 * Attributes of entities do not need it: {@link io.shardedid.ShardedId} says the same. An
 * attribute that holds the id of another entity needs it where that entity has a form of
 * its own.
 *
 * @since 0.1
 */
@Documented
@JacksonAnnotationsInside
@JsonFormat(shape = JsonFormat.Shape.STRING)
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT })
public @interface JsonShardedId {

    /**
     * The entity whose id it is. Sealed ids need it.
     * @return {@code void.class} unless set; the id then has the form that
     * {@code shardedid.form} names
     */
    Class<?> value() default void.class;

}
