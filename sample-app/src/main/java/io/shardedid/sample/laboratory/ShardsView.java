package io.shardedid.sample.laboratory;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardRange;

/**
 * Rows by shard, for the page and for JSON.
 *
 * @param rows whose rows
 * @param shardsPerBin how many neighbouring shards a bar stands for
 * @param bins rows by bin, low shards first
 * @param databases the same in each database; empty if there is only one
 */
record ShardsView(String rows, int shardsPerBin, List<Long> bins, List<InDatabase> databases) {

    /**
     * The rows in one of several databases.
     *
     * @param name the name of the database
     * @param shards the shards whose home it is
     * @param bins rows by bin, low shards first
     */
    record InDatabase(String name, String shards, List<Long> bins) {

        public long total() {
            return this.bins.stream().mapToLong(Long::longValue).sum();
        }

    }

    static ShardsView of(String rows, int shardsPerBin, Map<String, List<Long>> bins, ShardMap map) {
        List<InDatabase> databases = (bins.size() > 1)
                ? bins.entrySet().stream().map((one) -> inDatabase(one.getKey(), one.getValue(), map)).toList()
                : List.of();
        return new ShardsView(rows, shardsPerBin, ShardHistogram.sum(bins.values()), databases);
    }

    private static InDatabase inDatabase(String name, List<Long> bins, ShardMap map) {
        return new InDatabase(name,
                map.shardsOf(name).stream().map(ShardRange::toString).collect(Collectors.joining(", ")), bins);
    }

    public long most() {
        return Math.max(1, this.bins.stream().mapToLong(Long::longValue).max().orElse(1));
    }

    /**
     * The shards at which an axis is marked, from the first to the one behind the last.
     */
    public List<Integer> ticks() {
        int end = this.bins.size() * this.shardsPerBin;
        return List.of(0, end / 4, end / 2, end * 3 / 4, end);
    }

    public int lastShard() {
        return this.bins.size() * this.shardsPerBin - 1;
    }

    public long total() {
        return this.bins.stream().mapToLong(Long::longValue).sum();
    }

    public long used() {
        return this.bins.stream().filter((rows) -> rows > 0).count();
    }

}
