package io.shardedid.internal.key;

import java.time.Instant;
import java.util.UUID;
import java.util.function.IntSupplier;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import io.shardedid.UuidLayout;
import org.jspecify.annotations.Nullable;

/**
 * What an id has to be if the application assigned it: one that the generator could have
 * made for this row by now.
 *
 * @param key the shard key as messages name it, null if the generator chooses the shard
 * @since 0.1
 */
public record AssignedIdCheck(@Nullable String key) {

    /**
     * Returns the id that the application has assigned.
     * @param value the value of the attribute
     * @param form how it holds ids
     * @param entity the name of the entity, for messages
     * @param attribute the name of the attribute, for messages
     * @return the id
     * @throws ShardKeyException if the value is none, or not as the generator writes it
     */
    public static long numberOf(Object value, NumberForm form, String entity, String attribute) {
        try {
            long id = form.idOf(value);
            if (id < 0 || form.valueOf(id).equals(value)) {
                return id;
            }
        }
        catch (NumberFormatException ex) {
            // the rule is the same as for a text that is too short
        }
        throw new ShardKeyException(
                ("Could not keep the assigned id of '%s': %s='%s', it must be %s decimal digits "
                        + "with leading zeros, at most %s; assign one that 'ShardedIds' made")
                    .formatted(entity, attribute, value, String.valueOf(Long.MAX_VALUE).length(), Long.MAX_VALUE),
                ShardKeyException.Reason.ID_NOT_OF_ROW);
    }

    /**
     * Checks an id.
     * @param id the id
     * @param entity the entity, for the message of a refusal
     * @param shardOfKey finds the shard of the key, or {@link ShardOfKey#OWN_SHARD};
     * asked only if there is a key
     * @param ids reads the ids of this fleet
     * @throws ShardKeyException if it is of another shard than the shard key, or of a
     * time that has not come
     */
    public void check(long id, Object entity, IntSupplier shardOfKey, IdReader ids) {
        if (id < 0) {
            throw refused(entity, id, "id must be >= 0; assign one that 'ShardedIds' made");
        }
        if (!ids.isOlder(id) && ids.layout().shardOf(id) >= ids.shards()) {
            throw refused(entity, id, "its shard must be in [0, %s]: shard=%s; assign one that 'ShardedIds' made"
                .formatted(ids.shards() - 1, ids.layout().shardOf(id)));
        }
        checkShard(id, entity, () -> ids.shardOf(id), shardOfKey, "ids");
        if (!ids.isOlder(id)) {
            checkTime(id, entity, ids.layout().instantOf(id), ids);
        }
    }

    /**
     * Checks a UUID.
     * @param id the UUID
     * @param entity the entity, for the message of a refusal
     * @param shardOfKey finds the shard of the key, or {@link ShardOfKey#OWN_SHARD};
     * asked only if there is a key
     * @param ids reads the ids of this fleet
     * @throws ShardKeyException if it is of another version than 7, of another shard than
     * the shard key, or of a time that has not come
     */
    public void check(UUID id, Object entity, IntSupplier shardOfKey, IdReader ids) {
        checkShard(id, entity, () -> ids.shardOf(id), shardOfKey, "ids.uuids()");
        checkTime(id, entity, UuidLayout.instantOf(id), ids);
    }

    private static void checkTime(Object id, Object entity, Instant time, IdReader ids) {
        Instant latest = ids.latest();
        if (time.isAfter(latest)) {
            throw refused(entity, id, "its time must have come: time=%s, latest=%s; assign one that 'ShardedIds' made"
                .formatted(time, latest));
        }
    }

    private void checkShard(Object id, Object entity, IntSupplier shardOf, IntSupplier shardOfKey, String maker) {
        int home = home(id, entity, shardOf);
        if (this.key == null) {
            return;
        }
        int expected = shardOfKey.getAsInt();
        if (expected != ShardOfKey.OWN_SHARD && home != expected) {
            throw refused(entity, id, ("its shard must be that of shard key '%s': shard=%s, shard of the key=%s; "
                    + "assign %s.nextFor(key), or %4$s.next(%3$s)")
                .formatted(this.key, home, expected, maker));
        }
    }

    private static int home(Object id, Object entity, IntSupplier shardOf) {
        try {
            return shardOf.getAsInt();
        }
        catch (ShardKeyException ex) {
            throw refused(entity, id, String.valueOf(ex.getMessage()));
        }
    }

    private static ShardKeyException refused(Object entity, Object id, String why) {
        return new ShardKeyException(
                "Could not keep the assigned id of '%s': id=%s, %s".formatted(entity.getClass().getName(), id, why),
                ShardKeyException.Reason.ID_NOT_OF_ROW);
    }

}
