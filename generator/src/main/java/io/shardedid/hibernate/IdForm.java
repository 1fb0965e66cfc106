package io.shardedid.hibernate;

import java.time.Instant;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import org.jspecify.annotations.Nullable;

/**
 * The form in which an attribute holds a sharded id: how one is made there, and how its
 * shard is read. A value that stands for no id ends in a {@link NumberFormatException}.
 * Immutable and thread-safe.
 */
sealed interface IdForm permits NumberForm, UuidForm {

    /**
     * Returns the form of a type, or null if an id has none there.
     * @param type the type of an attribute, a primitive's wrapper
     * @param wrapping a type of the application around it, or null
     */
    static @Nullable IdForm of(Class<?> type, @Nullable Wrapping wrapping) {
        if (type == UUID.class) {
            return new UuidForm(wrapping);
        }
        return (type == Long.class || type == String.class) ? new NumberForm(type == String.class, wrapping) : null;
    }

    /**
     * Makes the next id of a shard, or of any shard for {@link ShardOfKey#OWN_SHARD}.
     */
    Object next(int shard, ShardedIds ids);

    /** Returns the shard where the children of a row live, as {@link IdReader} does. */
    int shardOf(Object value, IdReader ids);

    /** Whether an id is older, so that its bits mean nothing. */
    boolean isOlder(Object value, IdReader ids);

    /** The shard that the bits of an id name, or -1 if it has no such bits. */
    int bitsOf(Object value, IdLayout layout);

    /** The time that an id carries which is not older. */
    Instant timeOf(Object value, IdLayout layout);

    /** Whether a value was set: 0 and negative numbers are what none leaves behind. */
    boolean isSet(Object value);

    /** Whether a value is as the generator would write it. */
    boolean isAsWritten(Object value);

    /** What a value has to be, for messages. */
    String rule();

    /** A type of the application around an id. */
    interface Wrapping {

        Object wrap(Object id);

        Object unwrap(Object value);

    }

}
