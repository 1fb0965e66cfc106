package io.shardedid.sample.laboratory;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.routing.Shards;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Counts rows by shard, in each database. No column has the shard: the database takes it
 * out of the id.
 */
@Component
class ShardHistogram {

    /** How many bars. */
    static final int BINS = 50;

    private final JdbcTemplate sql;

    private final Shards databases;

    private final IdLayout layout;

    private final int shards;

    ShardHistogram(JdbcTemplate sql, Shards databases, ShardedIds ids) {
        this.sql = sql;
        this.databases = databases;
        this.layout = ids.layout();
        this.shards = ids.shards();
    }

    /**
     * Returns the rows of a table in {@value #BINS} bins of neighbouring shards.
     * @param table the name of a table of this application
     * @return rows by bin, low shards first, by the name of the database
     */
    Map<String, List<Long>> of(String table) {
        return this.databases.inEach(() -> bins(table));
    }

    /** Returns the rows of all databases. */
    static List<Long> sum(Collection<List<Long>> databases) {
        return IntStream.range(0, BINS)
            .mapToObj((bin) -> databases.stream().mapToLong((bins) -> bins.get(bin)).sum())
            .toList();
    }

    private List<Long> bins(String table) {
        long[] bins = new long[BINS];
        this.sql.query(query(table), (row) -> {
            bins[Math.min(BINS - 1, row.getInt(1))] += row.getLong(2);
        });
        return LongStream.of(bins).boxed().toList();
    }

    int shardsPerBin() {
        return Math.max(1, (this.shards + BINS - 1) / BINS);
    }

    /** By division, which every database spells alike. */
    private String query(String table) {
        int below = Arrays.stream(IdField.values()).filter(this::isBelowShard).mapToInt(this.layout::widthOf).sum();
        String bin = "mod(id / %s, %s) / %s".formatted(1L << below, 1L << this.layout.shardBits(), shardsPerBin());
        return "select %s, count(*) from %s group by %s".formatted(bin, table, bin);
    }

    private boolean isBelowShard(IdField field) {
        return this.layout.order().indexOf(field) > this.layout.order().indexOf(IdField.SHARD);
    }

}
