package io.shardedid;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sets the form that the ids of one entity have outside the database: in JSON, in path
 * variables and request parameters, in OpenAPI, and in {@code PublicIdFormats}.
 * Subclasses have the form of their nearest superclass with the annotation.
 *
 * <pre>
 * &#64;Entity
 * &#64;PublicId(prefix = "pho_", form = SEALED)
 * class Photo {
 *     &#64;Id &#64;ShardedId(shardKey = "userId") Long id;
 * }
 * </pre>
 *
 * <p>
 * The annotation is for entities whose ids are of type {@code long} or {@code Long}. If
 * it cannot work, the session factory is not built. The artifact
 * {@code shardedid-public-ids} gives ids their forms; without it the start fails.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface PublicId {

    /**
     * The text in front of each id: 1 to 15 lower-case letters and digits, a letter
     * first, and then '_', for example {@code pho_}.
     * @return the prefix, or empty for none
     */
    String prefix() default "";

    /**
     * The form of the ids.
     * @return {@link PublicIdForm#CONFIGURED} unless set
     */
    PublicIdForm form() default PublicIdForm.CONFIGURED;

    /**
     * The name that is sealed with each id, so that it opens as an id of this entity
     * only. Set it to the old name before you rename the class, because sealed texts open
     * under the name that they were sealed for.
     * @return the tag of sealed ids; if empty, the simple name of the annotated class
     */
    String tag() default "";

}
