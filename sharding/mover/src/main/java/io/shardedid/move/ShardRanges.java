package io.shardedid.move;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.shardedid.shards.ShardRange;

/**
 * The logical shards of one move: a range, or several. Immutable and thread-safe.
 *
 * @param ranges the ranges by their first shards; neighbours are joined
 * @since 0.1
 */
public record ShardRanges(List<ShardRange> ranges) {

    /**
     * Sorts the ranges, and joins neighbours.
     * @param ranges one range or more
     * @throws MoveException if there is no range, or a shard is in two of them
     */
    public ShardRanges {
        List<ShardRange> joined = new ArrayList<>();
        for (ShardRange next : ranges.stream().sorted(Comparator.comparingInt(ShardRange::first)).toList()) {
            ShardRange last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && next.first() <= last.last()) {
                throw MoveException.refused("Shard must be in one range: shard=%s, ranges=%s; name it once"
                    .formatted(next.first(), text(ranges)));
            }
            if (last != null && next.first() == last.last() + 1) {
                joined.set(joined.size() - 1, new ShardRange(last.first(), next.last()));
            }
            else {
                joined.add(next);
            }
        }
        if (joined.isEmpty()) {
            throw MoveException.refused("Shards must be at least one: ranges=[]; name a shard");
        }
        ranges = List.copyOf(joined);
    }

    /**
     * Reads ranges.
     * @param text shards and ranges of shards, such as {@code 5} or {@code 10,12,14-20}
     * @return the ranges
     * @throws io.shardedid.shards.ShardMapException if a part is not a range
     * @throws MoveException if a shard is in two of them
     */
    public static ShardRanges parse(String text) {
        return new ShardRanges(Arrays.stream(text.split(",", -1)).map(ShardRange::parse).toList());
    }

    /**
     * Returns how many shards these are.
     * @return 1 or more
     */
    public int size() {
        return this.ranges.stream().mapToInt(ShardRange::size).sum();
    }

    /**
     * Returns whether a shard is one of these.
     * @param shard any number
     * @return true if a range contains it
     */
    public boolean contains(int shard) {
        return this.ranges.stream().anyMatch((range) -> range.contains(shard));
    }

    /** Returns all shards, in their order. */
    List<Integer> shards() {
        return this.ranges.stream()
            .flatMapToInt((range) -> IntStream.rangeClosed(range.first(), range.last()))
            .boxed()
            .toList();
    }

    /** Returns the ranges of some shards. */
    static ShardRanges of(Collection<Integer> shards) {
        return new ShardRanges(shards.stream().map((shard) -> new ShardRange(shard, shard)).toList());
    }

    /**
     * Returns the ranges as {@link #parse} reads them.
     * @return for example {@code 5} or {@code 10,12,14-20}
     */
    @Override
    public String toString() {
        return text(this.ranges);
    }

    private static String text(List<ShardRange> ranges) {
        return ranges.stream().map(ShardRange::toString).collect(Collectors.joining(","));
    }

}
