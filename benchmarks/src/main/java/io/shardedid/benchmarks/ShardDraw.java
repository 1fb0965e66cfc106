package io.shardedid.benchmarks;

import java.util.Arrays;
import java.util.Random;

/**
 * How keys fall on shards.
 */
public enum ShardDraw {

    /** All alike. */
    UNIFORM {

        @Override
        int[] draws(int shards, int count, long seed) {
            return new Random(seed).ints(count, 0, shards).toArray();
        }

    },

    /** The n-th shard is drawn 1/n as often as the first. */
    ZIPF {

        @Override
        int[] draws(int shards, int count, long seed) {
            double[] upTo = new double[shards];
            double sum = 0;
            for (int shard = 0; shard < shards; shard++) {
                sum += 1.0 / (shard + 1);
                upTo[shard] = sum;
            }
            double all = sum;
            return new Random(seed).doubles(count).mapToInt((at) -> {
                int found = Arrays.binarySearch(upTo, at * all);
                return (found < 0) ? Math.min(-found - 1, shards - 1) : found;
            }).toArray();
        }

    };

    /** Draws shards. */
    abstract int[] draws(int shards, int count, long seed);

}
