package io.shardedid.spring.data.jdbc;

import java.util.List;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.key.AssignedIdCheck;
import io.shardedid.key.NumberForm;
import io.shardedid.key.KeyRefusal;
import io.shardedid.key.ShardOfKey;
import org.jspecify.annotations.Nullable;

import org.springframework.data.jdbc.core.mapping.AggregateReference;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/**
 * The ids of an aggregate root. Immutable and thread-safe.
 *
 * @param root the entity
 * @param id the annotated identifier
 * @param form how it holds ids
 * @param allowAssigned whether an id of a new aggregate is kept
 * @param key how to find the shard of a row, null if the generator chooses the shard
 */
record AggregateMapping(RelationalPersistentEntity<?> root, RelationalPersistentProperty id, NumberForm form,
        boolean allowAssigned, @Nullable Key key) {

    /**
     * Returns the aggregate with its id: the same object, or a copy where it is
     * immutable.
     * @throws ShardKeyException if the shard key is null and not optional, or leads to no
     * shard, or a new aggregate has an id that must not be kept; no id was issued
     * @throws io.shardedid.ShardedIdException as in {@link ShardedIdEngine#next(int)}
     */
    Object withId(Object aggregate, ShardedIdEngine ids) {
        Object current = idOf(aggregate);
        if (current != null) {
            if (!this.allowAssigned && this.root.isNew(aggregate)) {
                throw new ShardKeyException(
                        ("Could not generate '%s' of '%s': it is set already, to '%s'; leave it "
                                + "null, or say '@ShardedId(allowAssigned = true)' to keep ids that 'ShardedIds' made")
                            .formatted(this.id.getName(), aggregate.getClass().getName(), current),
                        ShardKeyException.Reason.ID_NOT_OF_ROW);
            }
            return aggregate;
        }
        int shard = shardOfKey(aggregate, ids.reader());
        PersistentPropertyAccessor<Object> values = this.root.getPropertyAccessor(aggregate);
        values.setProperty(this.id, this.form.valueOf((shard != ShardOfKey.OWN_SHARD) ? ids.next(shard) : ids.next()));
        return values.getBean();
    }

    /**
     * Checks the id of a row that is about to be inserted, whatever made it.
     * @throws ShardKeyException if it cannot be the id of this row
     */
    void checkInsert(Object aggregate, IdReader ids) {
        Object value = idOf(aggregate);
        if (value == null) {
            throw new ShardKeyException(
                    ("Could not insert '%s': attribute '%s' is null when the row is written (a "
                            + "'BeforeConvertCallback' that runs later removed it); give that callback an order before "
                            + "Ordered.LOWEST_PRECEDENCE")
                        .formatted(aggregate.getClass().getName(), this.id.getName()),
                    ShardKeyException.Reason.ID_NOT_OF_ROW);
        }
        long number = numberOf(value, aggregate);
        Key of = this.key;
        if (of == null) {
            new AssignedIdCheck(null).check(number, aggregate, () -> ShardOfKey.OWN_SHARD, ids);
            return;
        }
        int expected = shardOfKey(aggregate, ids);
        if (!ids.legacy(number) && expected != ShardOfKey.OWN_SHARD && ids.layout().shardOf(number) != expected) {
            throw KeyRefusal.insertOfAnotherShard(aggregate, of.path(), value, ids.layout().shardOf(number), expected,
                    "(the id was assigned, or a later callback changed the key); assign ids.nextFor(key), or set the "
                            + "key before save");
        }
        new AssignedIdCheck(of.path()).check(number, aggregate, () -> expected, ids);
    }

    /**
     * Checks that an update leaves the row in the shard of its id.
     * @throws ShardKeyException if its key leads to another shard
     */
    void checkUpdate(Object aggregate, IdReader ids) {
        Object value = idOf(aggregate);
        Key of = this.key;
        if (of == null || value == null) {
            return;
        }
        long number = numberOf(value, aggregate);
        if (ids.legacy(number)) {
            return;
        }
        Object changed = of.read(aggregate);
        Integer now = (changed != null) ? Integer.valueOf(of.shard().shardOf(changed, aggregate, ids)) : null;
        int shard = ids.layout().shardOf(number);
        if ((now != null) ? now != shard : !of.optional()) {
            throw KeyRefusal.keyChanged(aggregate, of.path(), value, shard, now);
        }
    }

    /** Reads the id, or null where there is none, which 0 stands for in a primitive. */
    private @Nullable Object idOf(Object aggregate) {
        Object value = this.root.getPropertyAccessor(aggregate).getProperty(this.id);
        return (this.id.getType().isPrimitive() && Long.valueOf(0).equals(value)) ? null : value;
    }

    private long numberOf(Object value, Object aggregate) {
        return AssignedIdCheck.numberOf(value, this.form, aggregate.getClass().getName(), this.id.getName());
    }

    private int shardOfKey(Object aggregate, IdReader ids) {
        Key of = this.key;
        if (of == null) {
            return ShardOfKey.OWN_SHARD;
        }
        Object value = of.read(aggregate);
        if (value != null) {
            return of.shard().shardOf(value, aggregate, ids);
        }
        if (of.optional()) {
            return ShardOfKey.OWN_SHARD;
        }
        throw KeyRefusal.keyIsNull(aggregate, of.path(), "set it before save, at the latest by auditing or in a "
                + "'BeforeConvertCallback' with an order of its own");
    }

    /**
     * The shard key of an aggregate root.
     *
     * @param path the path as the annotation spells it
     * @param properties one a segment, the first is of the root
     * @param shard the way from the value to the shard
     * @param optional whether it may be null
     */
    record Key(String path, List<RelationalPersistentProperty> properties, ShardOfKey shard, boolean optional) {

        /** Reads the value, or null if it or an embedded object before it is null. */
        @Nullable Object read(Object aggregate) {
            Object value = aggregate;
            for (RelationalPersistentProperty property : this.properties) {
                value = (value != null) ? property.getOwner().getPropertyAccessor(value).getProperty(property) : null;
            }
            return (value instanceof AggregateReference<?, ?> reference) ? reference.getId() : value;
        }

    }

}
