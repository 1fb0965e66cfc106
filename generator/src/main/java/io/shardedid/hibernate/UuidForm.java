package io.shardedid.hibernate;

import java.time.Instant;
import java.util.UUID;

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
    public @Nullable Integer shardIn(Object value, IdReader ids) {
        UUID id = uuidOf(value);
        return ids.isOlder(id) ? null : Integer.valueOf(UuidLayout.shardOf(id));
    }

    @Override
    public @Nullable Instant timeIn(Object value, IdReader ids) {
        UUID id = uuidOf(value);
        return ids.isOlder(id) ? null : UuidLayout.instantOf(id);
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
