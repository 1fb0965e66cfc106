package io.shardedid;

/**
 * Maps a shard key to its logical shard. The mapping must be the same in every process
 * and must never change: a key that moves to another shard leaves its older rows behind.
 * Implementations must be thread-safe.
 *
 * @since 0.1
 */
public interface ShardFunction {

    /**
     * Returns the logical shard of a key.
     * @param key the shard key, never null
     * @param shards the number of logical shards, at least 1
     * @return 0 to shards - 1
     * @throws ShardKeyException if keys of this type have no shard
     */
    int shardOf(Object key, int shards);

    /**
     * Returns the name under which processes compare their shard functions, for example
     * {@code modulo}.
     * @return a short name that changes whenever the mapping does
     */
    String id();

    /**
     * Returns whether keys of a type have a shard. It is called at boot, when the mapping
     * of an entity is checked.
     * @param type the type of the attribute, a primitive's wrapper
     * @return true unless the function says otherwise
     */
    default boolean supports(Class<?> type) {
        return true;
    }

    /**
     * Returns {@code floorMod(key, shards)}, as Instagram did with
     * {@code user_id % 2000}. Strings, UUIDs and enums, which are no numbers, count by
     * the 64-bit hash of {@link #hash()}.
     * @return the default function
     */
    static ShardFunction modulo() {
        return KeyShardFunction.MODULO;
    }

    /**
     * Returns a function that spreads keys by a 64-bit mix, so that keys with a pattern
     * (all even, all multiples of the shard count) fill all shards. The mix, for
     * implementations in other languages, all in 64-bit two's complement:
     *
     * <pre>
     * mix(z)     = z ^= z &gt;&gt;&gt; 30; z *= 0xbf58476d1ce4e5b9; z ^= z &gt;&gt;&gt; 27; z *= 0x94d049bb133111eb; z ^ z &gt;&gt;&gt; 31
     * integer n  : mix(n + 0x9e3779b97f4a7c15)                 (wider than 64 bits: as its decimal text)
     * text s     : mix(FNV-1a 64 of the UTF-8 bytes of s)
     * UUID (m,l) : mix(mix(m + 0x9e3779b97f4a7c15) + l)
     * enum       : as the text of its name
     * shard      = unsigned remainder of the result by the number of shards
     * </pre>
     * @return the hash function; its test has test vectors
     * @implNote sources: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, constants by D.
     * Stafford), FNV-1a (Fowler, Noll, Vo)
     */
    static ShardFunction hash() {
        return KeyShardFunction.HASH;
    }

}
