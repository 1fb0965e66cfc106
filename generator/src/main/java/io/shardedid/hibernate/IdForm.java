package io.shardedid.hibernate;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import io.shardedid.UuidLayout;
import org.jspecify.annotations.Nullable;

/**
 * The form in which an attribute holds a sharded id: how one is made there, and how its
 * shard is read. A value that stands for no id ends in a {@link NumberFormatException}.
 * Immutable and thread-safe.
 *
 * @param type {@code Long}, {@code UUID}, or {@code String}: decimal, with leading zeros,
 * so that texts sort as ids do
 * @param wrapping a type of the application around it, or null
 */
record IdForm(Class<?> type, @Nullable Wrapping wrapping) {

    private static final String ZEROS = "0".repeat(Long.toString(Long.MAX_VALUE).length());

    /** Returns the form of a type, or null if an id has none there. */
    static @Nullable IdForm of(Class<?> type, @Nullable Wrapping wrapping) {
        return List.of(Long.class, String.class, UUID.class).contains(type) ? new IdForm(type, wrapping) : null;
    }

    boolean uuid() {
        return this.type == UUID.class;
    }

    private boolean text() {
        return this.type == String.class;
    }

    /** Makes an id of a shard, or of any one for {@link ShardOfKey#OWN_SHARD}. */
    Object next(int shard, ShardedIds ids) {
        boolean any = shard == ShardOfKey.OWN_SHARD;
        if (uuid()) {
            return wrapped(any ? ids.uuids().next() : ids.uuids().next(shard));
        }
        return valueOf(any ? ids.next() : ids.next(shard));
    }

    Object valueOf(long id) {
        String digits = text() ? Long.toString(id) : "";
        return wrapped(text() ? ZEROS.substring(digits.length()) + digits : Long.valueOf(id));
    }

    private Object wrapped(Object plain) {
        return (this.wrapping != null) ? this.wrapping.wrap(plain) : plain;
    }

    private Object plain(Object value) {
        return (this.wrapping != null) ? this.wrapping.unwrap(value) : value;
    }

    private UUID uuidOf(Object value) {
        return (UUID) plain(value);
    }

    /** An older id may be shorter than those that {@link #valueOf} writes. */
    long numberOf(Object value) {
        if (!text()) {
            return ((Number) plain(value)).longValue();
        }
        OptionalLong id = IdLayout.parseText((String) plain(value));
        if (id.isEmpty() || id.getAsLong() < 0) {
            throw new NumberFormatException("must be 1 to 19 decimal digits");
        }
        return id.getAsLong();
    }

    /** Returns the shard where the children of a row live, as {@link IdReader} does. */
    int shardOf(Object value, IdReader ids) {
        return uuid() ? ids.shardOf(uuidOf(value)) : ids.shardOf(numberOf(value));
    }

    /** Whether an id is older, so that its bits mean nothing. */
    boolean isOlder(Object value, IdReader ids) {
        return uuid() ? ids.isOlder(uuidOf(value)) : ids.isOlder(numberOf(value));
    }

    /** The shard that the bits of an id name, or -1 if it has no such bits. */
    int bitsOf(Object value, IdLayout layout) {
        if (uuid()) {
            UUID id = uuidOf(value);
            return UuidLayout.isVersion7(id) ? UuidLayout.shardOf(id) : -1;
        }
        long number = numberOf(value);
        return (number >= 0 && number <= layout.lastId()) ? layout.shardOf(number) : -1;
    }

    /** The time that an id carries which is not older. */
    Instant timeOf(Object value, IdLayout layout) {
        return uuid() ? UuidLayout.instantOf(uuidOf(value)) : layout.instantOf(numberOf(value));
    }

    /** Whether a value was set: 0 and negative numbers are what none leaves behind. */
    boolean isSet(Object value) {
        return uuid() || numberOf(value) > 0;
    }

    /** Whether a value is as the generator would write it. */
    boolean isAsWritten(Object value) {
        return uuid() ? UuidLayout.isVersion7(uuidOf(value))
                : numberOf(value) >= 0 && valueOf(numberOf(value)).equals(value);
    }

    /** What a value has to be, for messages. */
    String rule() {
        return uuid() ? "a UUID of version 7" : (text() ? ZEROS.length() + " decimal digits with leading zeros, " : "")
                + "a number from 0 to " + Long.MAX_VALUE;
    }

    /** A type of the application around an id. */
    interface Wrapping {

        Object wrap(Object id);

        Object unwrap(Object value);

    }

}
