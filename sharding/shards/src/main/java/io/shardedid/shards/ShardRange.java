package io.shardedid.shards;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Consecutive logical shards. Immutable and thread-safe.
 *
 * @param first the first shard, 0 or more
 * @param last the last shard, which belongs to the range, {@code first} or more
 * @since 0.1
 */
public record ShardRange(int first, int last) {

    /** The digits of the greatest number that is a shard of some layout. */
    private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,9})\\s*(?:-\\s*(\\d{1,9})\\s*)?");

    /**
     * Makes a range.
     * @param first the first shard
     * @param last the last shard, which belongs to the range
     * @throws ShardMapException if a bound is negative, or the range is empty
     */
    public ShardRange {
        if (first < 0 || last < first) {
            throw new ShardMapException(
                    "Shard range must have a first shard >= 0 and a last shard >= the first: first=%s, last=%s"
                        .formatted(first, last),
                    "correct the range");
        }
    }

    /**
     * Reads a range.
     * @param text one shard, such as {@code 7}, or the first and the last shard, such as
     * {@code 1000-1999}
     * @return the range
     * @throws ShardMapException if the text is not a range
     */
    public static ShardRange parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new ShardMapException(
                    "Shard range cannot be read: range='%s' (a shard, or two shards with '-' between them)"
                        .formatted(text),
                    "for example '1000-1999'");
        }
        int first = Integer.parseInt(parts.group(1));
        return new ShardRange(first, (parts.group(2) != null) ? Integer.parseInt(parts.group(2)) : first);
    }

    /**
     * Joins shards to ranges.
     * @param shards shards in increasing order
     * @return ranges in increasing order, with a gap between each two
     */
    public static List<ShardRange> of(Collection<Integer> shards) {
        List<ShardRange> ranges = new ArrayList<>();
        for (int shard : shards) {
            int end = ranges.size() - 1;
            if (end >= 0 && ranges.get(end).last == shard - 1) {
                ranges.set(end, new ShardRange(ranges.get(end).first, shard));
            }
            else {
                ranges.add(new ShardRange(shard, shard));
            }
        }
        return ranges;
    }

    /**
     * Returns how many shards the range has.
     * @return 1 or more
     */
    public int size() {
        return this.last - this.first + 1;
    }

    /**
     * Returns the range as {@link #parse} reads it.
     * @return for example {@code 7} or {@code 1000-1999}
     */
    @Override
    public String toString() {
        return (this.first == this.last) ? Integer.toString(this.first) : this.first + "-" + this.last;
    }

}
