package io.shardedid.hibernate.key;

import java.util.OptionalLong;

import io.shardedid.IdLayout;
import org.jspecify.annotations.Nullable;

/**
 * The forms that an id has by itself.
 * <p>
 * The type is public for package {@code io.shardedid.hibernate} only and is no API.
 *
 * @since 0.1
 */
public enum PlainIdForm implements IdForm {

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

    static @Nullable IdForm of(Class<?> type) {
        return (type == Long.class) ? NUMBER : (type == String.class) ? TEXT : null;
    }

}
