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
 * It stands on the identifier, on one attribute of an {@code @IdClass} or
 * {@code @EmbeddedId} (a class or a record), or on a plain attribute of the entity beside
 * another identifier: a public id. Types:
 * <ul>
 * <li>{@code long} and {@code Long};
 * <li>{@code String}: 19 decimal digits with leading zeros, so that texts sort as the ids
 * do;
 * <li>a class with a {@code @JavaType} of its own that wraps a {@code Long}: its
 * {@code wrap} and {@code unwrap} are called without options;
 * <li>on a plain attribute also a class with an {@code AttributeConverter} to
 * {@code Long} or {@code String}. Hibernate allows converters on no identifier; a record
 * with one component as {@code @EmbeddedId} serves there.
 * </ul>
 *
 * <p>
 * A plain attribute gets its id when the row is inserted: at the flush, not at
 * {@code persist}. A value that is set before is refused unless {@link #allowAssigned()}.
 * Declare its column {@code nullable = false, updatable = false}: Hibernate generates
 * none for an insert in HQL and would let an update replace it. Attributes of embeddables
 * are refused, unless the embeddable is the identifier; those of element collections
 * Hibernate ignores.
 *
 * <p>
 * Everything that can be wrong here fails when the session factory is built, as
 * Hibernate's {@code AnnotationException}.
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
     * association has a {@code @ShardedId}, its shard is handed on. Of a composite id one
     * part is named ({@code order.id.number}). Reading it selects nothing.
     * <p>
     * Types of a key: integers ({@code long}, {@code int}, {@code short}, {@code byte},
     * their wrappers and {@code BigInteger}), {@code String}, {@code UUID} and enums, or
     * what a shard function of the application knows. The value in Java counts: of an
     * enum its name, of an attribute with an {@code AttributeConverter} what it was
     * before it is converted.
     * <p>
     * The key must be set before {@code persist}: {@code @PrePersist} and auditing run
     * later. A {@code @TenantId} is read from the session. If the key leads to another
     * shard when the row is inserted, the insert is refused with
     * {@link ShardKeyException}. A primitive key that is never set is 0, a valid key, so
     * prefer {@code Long} to {@code long}.
     * @return the path, or empty
     */
    String shardKey() default "";

    /**
     * Instead of a shard key: the property path of a scalar that holds a sharded id, in
     * any of the types that such ids have (a {@code String} in decimal). The row takes
     * over its {@link ShardedIds#shardHome home}. 0 and negative numbers are refused.
     * @return the path, or empty
     */
    String colocateWith() default "";

    /**
     * Whether the key that {@link #shardKey()} or {@link #colocateWith()} names may be
     * null. A row whose key is null founds a shard of its own, as without a key: the root
     * of a tree, whose descendants then live in its shard. An association to an object
     * that has no id yet is no null key; it is refused as ever. A primitive key is never
     * null, and is refused when the session factory is built.
     * @return false unless set; a null key is refused then
     */
    boolean optionalKey() default false;

    /**
     * Who makes the ids. With {@link IdStrategy#DATABASE} a {@code BEFORE INSERT} trigger
     * does, which the schema export of Hibernate writes, or a script of
     * {@link io.shardedid.database.DatabaseIds}; the id comes back with
     * {@code RETURNING}. So rows that plain SQL inserts have ids too, keys that are set
     * late ({@code @PrePersist}, auditing) count, and the process needs no worker id. On
     * PostgreSQL 14 or later; other databases are refused.
     * <p>
     * For an identifier that is a {@code long} or {@code Long} by itself. The key must be
     * a column of the same table and of a type that means the same there: integers,
     * texts, enums by their names, UUIDs, foreign keys.
     * @return {@link IdStrategy#APPLICATION} unless set
     * @apiNote Hibernate does not batch such inserts: each is a round trip, at
     * {@code persist}. Processes with the other strategy may write to the same table,
     * unless the layout has no worker bits
     */
    IdStrategy strategy() default IdStrategy.APPLICATION;

    /**
     * Whether an id that the application has set before {@code persist} is kept, after a
     * check of its shard and time.
     * @return false unless set
     * @apiNote with it, Hibernate selects before it merges or references a detached
     * entity whose id is not generated
     */
    boolean allowAssigned() default false;

}
