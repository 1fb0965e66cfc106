package io.shardedid.hibernate;

import java.time.Instant;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import io.shardedid.UuidLayout;
import org.jspecify.annotations.Nullable;

/**
 * The form of a UUID that carries a shard.
 *
 * @param wrapping a type of the application around it, or null
 */
record UuidForm(@Nullable Wrapping wrapping) implements IdForm {

    private UUID uuidOf(Object value) {
        return (UUID) ((this.wrapping != null) ? this.wrapping.unwrap(value) : value);
    }

    @Override
    public Object next(int shard, ShardedIds ids) {
        UUID made = (shard != ShardOfKey.OWN_SHARD) ? ids.uuids().next(shard) : ids.uuids().next();
        return (this.wrapping != null) ? this.wrapping.wrap(made) : made;
    }

    @Override
    public int shardOf(Object value, IdReader ids) {
        return ids.shardOf(uuidOf(value));
    }

    @Override
    public boolean isOlder(Object value, IdReader ids) {
        return ids.isOlder(uuidOf(value));
    }

    @Override
    public int bitsOf(Object value, IdLayout layout) {
        UUID id = uuidOf(value);
        return UuidLayout.isVersion7(id) ? UuidLayout.shardOf(id) : -1;
    }

    @Override
    public Instant timeOf(Object value, IdLayout layout) {
        return UuidLayout.instantOf(uuidOf(value));
    }

    @Override
    public boolean isSet(Object value) {
        return true;
    }

    @Override
    public boolean isAsWritten(Object value) {
        return UuidLayout.isVersion7(uuidOf(value));
    }

    @Override
    public String rule() {
        return "a UUID of version 7";
    }

}
