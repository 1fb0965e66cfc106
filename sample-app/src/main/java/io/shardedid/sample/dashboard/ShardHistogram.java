package io.shardedid.sample.dashboard;

import java.util.Arrays;
import java.util.stream.LongStream;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Counts photos by shard. No column has the shard: the database takes it out of the id.
 */
@Component
class ShardHistogram {

    /** How many bars. */
    static final int BINS = 50;

    private final JdbcTemplate sql;

    private final String query;

    private final int shardsPerBin;

    ShardHistogram(JdbcTemplate sql, ShardedIds ids) {
        this.sql = sql;
        this.shardsPerBin = Math.max(1, (ids.shards() + BINS - 1) / BINS);
        this.query = query(ids.layout(), this.shardsPerBin);
    }

    /** Returns the photos in bins of neighbouring shards, low shards first. */
    ShardsView now() {
        long[] bins = new long[BINS];
        this.sql.query(this.query, (row) -> {
            bins[Math.min(BINS - 1, row.getInt(1))] += row.getLong(2);
        });
        return new ShardsView(this.shardsPerBin, LongStream.of(bins).boxed().toList());
    }

    /** By division, which every database spells alike. */
    private static String query(IdLayout layout, int shardsPerBin) {
        int place = layout.order().indexOf(IdField.SHARD);
        int below = Arrays.stream(IdField.values())
            .filter((field) -> layout.order().indexOf(field) > place)
            .mapToInt(layout::widthOf)
            .sum();
        String bin = "mod(id / %s, %s) / %s".formatted(1L << below, 1L << layout.shardBits(), shardsPerBin);
        return "select %s, count(*) from photo group by %s".formatted(bin, bin);
    }

}
