package io.shardedid.hibernate;

import java.time.Instant;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.key.ShardKey;

import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * What an id has to be if the application assigned it: one that the generator could have
 * made for this row by now.
 *
 * @param key how to find the shard of a row, null if it founds its own
 */
record AssignedIdCheck(@Nullable ShardKey key) {

    /**
     * Checks an id.
     * @throws ShardKeyException if it is of another shard than the shard key, or of a
     * time that has not come
     */
    void check(long id, Object entity, SharedSessionContractImplementor session, ShardedIdEngine ids) {
        if (id < 0) {
            throw refused(entity, id, "id must be >= 0; assign one that 'ShardedIds' made");
        }
        checkShard(id, entity, session, ids);
        if (ids.legacy(id)) {
            return;
        }
        Instant time = ids.layout().instantOf(id);
        Instant now = ids.clock().instant();
        // an id that this engine has just made may be ahead of the clock by as much
        if (time.isAfter(now.plus(ids.terms().maxAhead()))) {
            throw refused(entity, id,
                    "its time must have come: time=%s, now=%s; assign one that 'ShardedIds' made".formatted(time, now));
        }
    }

    private void checkShard(long id, Object entity, SharedSessionContractImplementor session, ShardedIdEngine ids) {
        if (!ids.legacy(id) && ids.shardOf(id) >= ids.shards()) {
            throw refused(entity, id, "its shard must be in [0, %d]: shard=%d; assign one that 'ShardedIds' made"
                .formatted(ids.shards() - 1, ids.shardOf(id)));
        }
        int home = home(id, entity, ids);
        ShardKey key = this.key;
        if (key == null) {
            return;
        }
        int expected = key.shardOf(entity, session, ids);
        if (expected != ShardKey.OWN_SHARD && home != expected) {
            throw refused(entity, id, ("its shard must be that of shard key '%s': shard=%d, shard of the key=%d; "
                    + "assign ids.nextFor(key), or ids.next(%3$d)")
                .formatted(key.path(), home, expected));
        }
    }

    private static int home(long id, Object entity, ShardedIdEngine ids) {
        try {
            return ids.shardHome(id);
        }
        catch (ShardKeyException ex) {
            throw refused(entity, id, String.valueOf(ex.getMessage()));
        }
    }

    private static ShardKeyException refused(Object entity, long id, String why) {
        return new ShardKeyException(
                "Could not keep the assigned id of '%s': id=%d, %s".formatted(entity.getClass().getName(), id, why),
                ShardKeyException.Reason.ID_NOT_OF_ROW);
    }

}
