package io.shardedid.internal.key;

import java.util.OptionalLong;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import org.jspecify.annotations.Nullable;

/**
 * The form of an id of 64 bits.
 *
 * @since 0.1
 */
public non-sealed interface NumberForm extends IdForm {

    /**
     * Returns the value that the attribute has for an id.
     * @param id the id
     * @return the value
     */
    Object valueOf(long id);

    /**
     * Returns the id that a value of the attribute stands for. An id that is older than
     * the use of this generator may be shorter than those that {@link #valueOf} writes.
     * @param value the value of the attribute
     * @return the id
     * @throws NumberFormatException if it stands for none
     */
    long idOf(Object value);

    @Override
    default Object next(int shard, ShardedIds ids) {
        return valueOf((shard != ShardOfKey.OWN_SHARD) ? ids.next(shard) : ids.next());
    }

    @Override
    default int shardOf(Object value, IdReader ids) {
        return ids.shardOf(idOf(value));
    }

    @Override
    default @Nullable Integer shardIn(Object value, IdReader ids) {
        long id = idOf(value);
        return ids.isOlder(id) ? null : Integer.valueOf(ids.layout().shardOf(id));
    }

    @Override
    default boolean names(int shard, Object value, IdLayout layout) {
        long id = idOf(value);
        return id >= 0 && id <= layout.lastId() && layout.shardOf(id) == shard;
    }

    /**
     * The forms that an id has by itself.
     *
     * @since 0.1
     */
    enum Plain implements NumberForm {

        /** The number. */
        NUMBER {
            @Override
            public Object valueOf(long id) {
                return id;
            }

            @Override
            public long idOf(Object value) {
                return ((Number) value).longValue();
            }
        },

        /** The number in decimal, with leading zeros, so that texts sort as ids do. */
        TEXT {
            @Override
            public Object valueOf(long id) {
                String digits = Long.toString(id);
                return ZEROS.substring(digits.length()) + digits;
            }

            @Override
            public long idOf(Object value) {
                OptionalLong id = IdLayout.parseText((String) value);
                if (id.isEmpty() || id.getAsLong() < 0) {
                    throw new NumberFormatException("must be 1 to 19 decimal digits");
                }
                return id.getAsLong();
            }
        };

        private static final String ZEROS = "0".repeat(Long.toString(Long.MAX_VALUE).length());

        /**
         * Returns the form of a type.
         * @param type the type of an attribute, a primitive's wrapper
         * @return the form, or null if an id has none by itself in this type
         */
        public static @Nullable NumberForm of(Class<?> type) {
            return (type == Long.class) ? NUMBER : (type == String.class) ? TEXT : null;
        }

    }

}
