package io.shardedid;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.shardedid.hibernate.ShardedIdValueGenerator;
import org.hibernate.annotations.IdGeneratorType;

/**
 * Gives an entity 64-bit ids that sort by time and carry the logical shard of their row.
 * Computed before the insert, without a round trip, so inserts batch.
 *
 * <pre>
 * &#64;Entity
 * class Photo {
 *     &#64;Id &#64;ShardedId(shardKey = "author") Long id; // a photo lives in its author's shard
 *     &#64;ManyToOne(fetch = LAZY) User author;        // User.id is a &#64;ShardedId too
 * }
 * </pre>
 *
 * <p>
 * With neither {@link #shardKey()} nor {@link #colocateWith()} the row founds a shard of
 * its own choice.
 *
 * <p>
 * Supported id types: {@code long} and {@code Long}. Everything that can be wrong here
 * fails when the session factory is built, as Hibernate's {@code AnnotationException}.
 */
@IdGeneratorType(ShardedIdValueGenerator.class)
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.FIELD, ElementType.METHOD })
public @interface ShardedId {

    /**
     * The property path of the key that decides on the shard: a scalar ({@code userId}),
     * a property of an embeddable ({@code address.region}), or an association
     * ({@code author}, or {@code author.id}, which means the same). If the target of the
     * association has a {@code @ShardedId}, its shard is handed on. Of a composite id one
     * part is named ({@code order.id.number}). The key must be set before
     * {@code persist}: {@code @PrePersist}, auditing and {@code @TenantId} run later.
     * @return the path, or empty
     */
    String shardKey() default "";

    /**
     * Instead of a shard key: the property path of a scalar that holds a sharded id. The
     * row takes over its shard.
     * @return the path, or empty
     */
    String colocateWith() default "";

    /**
     * Whether an id that the application has set before {@code persist} is kept, after a
     * check of its shard and time.
     * @return false unless set
     * @apiNote with it, Hibernate selects before it merges or references a detached
     * entity whose id is not generated
     */
    boolean allowAssigned() default false;

}
