package io.shardedid.hibernate;

import java.time.Instant;
import java.util.OptionalLong;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import org.jspecify.annotations.Nullable;

/**
 * The form of an id of 64 bits.
 *
 * @param text whether it is a text: in decimal, with leading zeros, so that texts sort as
 * ids do
 * @param wrapping a type of the application around it, or null
 */
record NumberForm(boolean text, @Nullable Wrapping wrapping) implements IdForm {

    private static final String ZEROS = "0".repeat(Long.toString(Long.MAX_VALUE).length());

    Object valueOf(long id) {
        String digits = this.text ? Long.toString(id) : "";
        Object plain = this.text ? ZEROS.substring(digits.length()) + digits : Long.valueOf(id);
        return (this.wrapping != null) ? this.wrapping.wrap(plain) : plain;
    }

    /** An older id may be shorter than those that {@link #valueOf} writes. */
    long idOf(Object value) {
        Object plain = (this.wrapping != null) ? this.wrapping.unwrap(value) : value;
        if (!this.text) {
            return ((Number) plain).longValue();
        }
        OptionalLong id = IdLayout.parseText((String) plain);
        if (id.isEmpty() || id.getAsLong() < 0) {
            throw new NumberFormatException("must be 1 to 19 decimal digits");
        }
        return id.getAsLong();
    }

    @Override
    public Object next(int shard, ShardedIds ids) {
        return valueOf((shard != ShardOfKey.OWN_SHARD) ? ids.next(shard) : ids.next());
    }

    @Override
    public int shardOf(Object value, IdReader ids) {
        return ids.shardOf(idOf(value));
    }

    @Override
    public boolean isOlder(Object value, IdReader ids) {
        return ids.isOlder(idOf(value));
    }

    @Override
    public int bitsOf(Object value, IdLayout layout) {
        long id = idOf(value);
        return (id >= 0 && id <= layout.lastId()) ? layout.shardOf(id) : -1;
    }

    @Override
    public Instant timeOf(Object value, IdLayout layout) {
        return layout.instantOf(idOf(value));
    }

    @Override
    public boolean isSet(Object value) {
        return idOf(value) > 0;
    }

    @Override
    public boolean isAsWritten(Object value) {
        long id = idOf(value);
        return id >= 0 && valueOf(id).equals(value);
    }

    @Override
    public String rule() {
        return (this.text ? ZEROS.length() + " decimal digits with leading zeros, " : "") + "a number from 0 to "
                + Long.MAX_VALUE;
    }

}
