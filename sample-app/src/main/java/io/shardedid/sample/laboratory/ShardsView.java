package io.shardedid.sample.laboratory;

import java.util.List;

/**
 * Rows by shard, for the page and for JSON.
 *
 * @param rows whose rows
 * @param shardsPerBin how many neighbouring shards a bar stands for
 * @param bins rows by bin, low shards first
 */
record ShardsView(String rows, int shardsPerBin, List<Long> bins) {

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
