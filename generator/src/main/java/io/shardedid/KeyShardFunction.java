package io.shardedid;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;

/**
 * The two functions that come with the library: one reading of a key as 64 bits, two ways
 * from there to a shard.
 */
enum KeyShardFunction implements ShardFunction {

    MODULO {
        @Override
        public int shardOf(Object key, int shards) {
            if (key instanceof Long || key instanceof Integer || key instanceof Short || key instanceof Byte) {
                return Math.floorMod(((Number) key).longValue(), shards);
            }
            if (key instanceof BigInteger number) {
                return number.mod(BigInteger.valueOf(shards)).intValue();
            }
            return HASH.shardOf(key, shards);
        }
    },

    HASH {
        @Override
        public int shardOf(Object key, int shards) {
            return (int) Long.remainderUnsigned(hashOf(key), shards);
        }
    };

    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;

    private static final long FNV_PRIME = 0x100000001b3L;

    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean supports(Class<?> type) {
        return type == Long.class || type == Integer.class || type == Short.class || type == Byte.class
                || type == BigInteger.class || type == String.class || type == UUID.class || type.isEnum();
    }

    static long hashOf(Object key) {
        if (key instanceof Long || key instanceof Integer || key instanceof Short || key instanceof Byte) {
            return mix(((Number) key).longValue() + GOLDEN_GAMMA);
        }
        if (key instanceof BigInteger number) {
            return number.bitLength() < Long.SIZE ? mix(number.longValue() + GOLDEN_GAMMA) : hash(number.toString());
        }
        if (key instanceof String text) {
            return hash(text);
        }
        if (key instanceof UUID uuid) {
            return mix(mix(uuid.getMostSignificantBits() + GOLDEN_GAMMA) + uuid.getLeastSignificantBits());
        }
        if (key instanceof Enum<?> constant) {
            return hash(constant.name());
        }
        throw new ShardKeyException(
                "Could not find the shard of a key: type=%s (an integer, String, UUID or enum); set "
                    .formatted(key.getClass().getTypeName())
                        + "'shardedid.shard-function' to a function that knows this type");
    }

    static long mix(long z) {
        long a = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ a >>> 27) * 0x94d049bb133111ebL;
        return b ^ b >>> 31;
    }

    private static long hash(String text) {
        long h = FNV_OFFSET;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            h = (h ^ b & 0xff) * FNV_PRIME;
        }
        return mix(h);
    }

}
