package io.shardedid;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.shardedid.hibernate.ShardedIdValueGenerator;
import org.hibernate.annotations.IdGeneratorType;
import org.hibernate.annotations.ValueGenerationType;

/**
 * Gives an entity ids that sort by time and carry the logical shard of their row: numbers
 * of 64 bits, or UUIDs. They are computed before the insert, without a round trip, so
 * inserts batch.
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
 * With neither {@link #shardKey()} nor {@link #colocateWith()}, the generator chooses the
 * shard. Two such rows may lie in different shards.
 *
 * <p>
 * Put it on the identifier, on one attribute of an {@code @IdClass} or
 * {@code @EmbeddedId} (a class or a record), or on a plain attribute of the entity beside
 * another identifier: a public id. Types:
 * <ul>
 * <li>{@code long} and {@code Long};
 * <li>{@code String}: 19 decimal digits with leading zeros, so that texts sort as the ids
 * do;
 * <li>{@code UUID}: of version 7, see {@link UuidLayout};
 * <li>a class with a {@code @JavaType} of its own that wraps a {@code Long} or
 * {@code UUID}: its {@code wrap} and {@code unwrap} are called without options;
 * <li>on a plain attribute also a class with an {@code AttributeConverter} to
 * {@code Long}, {@code String} or {@code UUID}. Hibernate allows no converter on an
 * identifier; use a record with one component as the {@code @EmbeddedId} there.
 * </ul>
 *
 * <p>
 * A plain attribute gets its id when the row is inserted: at the flush, not at
 * {@code persist}. If the application has set a value before, the insert fails, unless
 * {@link #allowAssigned()} is set. Declare its column
 * {@code nullable = false, updatable = false}: Hibernate generates no value for an insert
 * in HQL, and it would let an update replace the value. In an embeddable that is not the
 * identifier, the annotation fails. Hibernate ignores generators in element collections.
 *
 * <p>
 * A mapping that cannot work fails when the session factory is built, with Hibernate's
 * {@code AnnotationException}. A key that is null, or that changes between
 * {@code persist} and the insert, fails with {@link ShardKeyException}.
 *
 * @since 0.1
 */
@IdGeneratorType(ShardedIdValueGenerator.class)
@ValueGenerationType(generatedBy = ShardedIdValueGenerator.class)
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.FIELD, ElementType.METHOD })
public @interface ShardedId {

    /**
     * The property path of the key that decides on the shard: a scalar ({@code userId}),
     * a property of an embeddable ({@code address.region}), or an association
     * ({@code author}, or {@code author.id}, which means the same). If the target of the
     * association has a {@code @ShardedId}, the row takes over the shard of the target.
     * Of a composite id, name one part ({@code order.id.number}). Reading the key sends
     * no statement.
     * <p>
     * Types of a key: integers ({@code long}, {@code int}, {@code short}, {@code byte},
     * their wrappers and {@code BigInteger}), {@code String}, {@code UUID} and enums, or
     * what a shard function of the application knows. The value in Java counts: an enum
     * counts by its name, and an attribute with an {@code AttributeConverter} by what it
     * was before the conversion.
     * <p>
     * The key must be set before {@code persist}: {@code @PrePersist} and auditing run
     * later. A {@code @TenantId} is read from the session. If the key leads to another
     * shard when the row is inserted, the insert fails with {@link ShardKeyException}. A
     * primitive key that is never set is 0, a valid key, so prefer {@code Long} to
     * {@code long}.
     * @return the path, or empty
     */
    String shardKey() default "";

    /**
     * Instead of a shard key: the property path of a scalar that holds a sharded id, in
     * any of the types that such ids have (a {@code String} in decimal). The row takes
     * over {@linkplain ShardedIds#shardOf the shard} of that id. With 0 or a negative
     * number the insert fails.
     * @return the path, or empty
     */
    String colocateWith() default "";

    /**
     * Whether the key that {@link #shardKey()} or {@link #colocateWith()} names may be
     * null. For a row whose key is null the generator chooses the shard, as it does
     * without a key. Such a row may be the root of a tree, whose descendants then live in
     * its shard. An association to an object that has no id yet is no null key: such an
     * insert fails in any case. A primitive key is never null: with one, the session
     * factory is not built.
     * @return false unless set; the insert of a row whose key is null then fails
     */
    boolean optionalKey() default false;

    /**
     * Whether an id that the application has set before {@code persist} is kept, after a
     * check of its shard and time.
     * @return false unless set
     * @apiNote with it, Hibernate selects before it merges or references a detached
     * entity whose id is not generated
     */
    boolean allowAssigned() default false;

}
