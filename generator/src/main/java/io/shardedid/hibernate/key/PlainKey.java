package io.shardedid.hibernate.key;

import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicBoolean;

import io.shardedid.ShardFunction;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;

/**
 * A key that goes through the shard function. Warns once an attribute if the keys look
 * like sharded ids, whose low bits repeat.
 */
final class PlainKey implements ShardOfKey {

    private static final System.Logger LOG = System.getLogger(PlainKey.class.getName());

    /** Ids of the standard layout have so many from five minutes after their epoch on. */
    private static final int SIGNIFICANT_BITS = 41;

    private final String attribute;

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Makes the way for the keys of an attribute.
     * @param attribute the entity and the attribute, for people
     */
    PlainKey(String attribute) {
        this.attribute = attribute;
    }

    @Override
    public int shardOf(Object key, Object entity, ShardedIds ids) {
        if (looksSharded(key) && ids.shardFunction() == ShardFunction.modulo()) {
            warnOnce(key);
        }
        try {
            return ids.shardFor(key);
        }
        catch (ShardKeyException ex) {
            throw new ShardKeyException("Could not generate id of '%s' by shard key '%s': %s"
                .formatted(entity.getClass().getName(), this.attribute, ex.getMessage()), ex);
        }
    }

    private static boolean looksSharded(Object key) {
        if (key instanceof Long number) {
            return number >> SIGNIFICANT_BITS - 1 > 0;
        }
        return key instanceof BigInteger number && number.signum() > 0 && number.bitLength() >= SIGNIFICANT_BITS;
    }

    private void warnOnce(Object key) {
        if (!this.warned.get() && this.warned.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING,
                    () -> ("Shard key '%s' looks like a sharded id: key=%s has 41 significant bits or more, and "
                            + "'modulo' counts by the low ones, which repeat; name the association as shard key, or "
                            + "use 'colocateWith' for a scalar that holds a sharded id")
                        .formatted(this.attribute, key));
        }
    }

}
