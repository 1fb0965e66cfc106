package io.shardedid.sample.dashboard;

import java.util.List;

/**
 * The photos by shard, for the page and for JSON.
 *
 * @param shardsPerBin how many neighbouring shards a bar stands for
 * @param bins photos by bin, low shards first
 */
record ShardsView(int shardsPerBin, List<Long> bins) {

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
