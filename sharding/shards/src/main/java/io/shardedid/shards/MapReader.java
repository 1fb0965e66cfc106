package io.shardedid.shards;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Reads the map from its table, and refuses one that this application cannot go by. Used
 * by the keeper's thread alone.
 */
final class MapReader {

    private static final System.Logger LOG = System.getLogger(TableShardDirectory.class.getName());

    private final TableShardDirectory.Choices choices;

    /** The versions that brought the shards where the map in use has them. */
    private long[] brought = {};

    MapReader(TableShardDirectory.Choices choices) {
        this.choices = choices;
    }

    /**
     * Reads the map, and stores the initial one first if the namespace has none.
     * @throws ShardMapException if there is no map that can be used
     */
    ShardMap first(ShardTable table) throws Exception {
        ShardMap initial = this.choices.initial();
        boolean filled = initial != null && table.version().isNone() && table.fill(initial);
        ShardTable.Rows rows = table.read();
        if (rows.version().isNone() && rows.rows().isEmpty()) {
            throw new ShardMapException(
                    "There is no shard map: namespace=%s, initial-map=null".formatted(this.choices.namespace()),
                    ("set 'shardedid.databases.initial-map', or 'initial-map' of the sharding algorithm, for "
                            + "example to '0-%s: a'")
                        .formatted(this.choices.shards() - 1));
        }
        ShardMap map = assembled(rows, null);
        if (filled) {
            LOG.log(System.Logger.Level.INFO, "The shard map was stored, version {0}: {1}",
                    Long.toString(map.version()), map);
        }
        else if (initial != null && !initial.sameAs(map)) {
            LOG.log(System.Logger.Level.WARNING,
                    "The shard map in the table counts, version {0}: {1}; ''shardedid.databases.initial-map'' says otherwise: {2}",
                    Long.toString(map.version()), map, initial);
        }
        return map;
    }

    /**
     * Reads the map if the table has another one than that in use. The map may have gone
     * back: its database was restored, or has lost its last commits, and the rows of a
     * shard are where the lost change has brought them. So this refuses the whole map if
     * it has a shard in another database than the one in use has, though no later change
     * has brought it there.
     * @return the same map if the table has it
     * @throws ShardMapException if there is no map that can be used
     */
    ShardMap changed(ShardTable table, ShardMap before) throws Exception {
        return table.version().equals(before.mapVersion()) ? before : assembled(table.read(), before);
    }

    private ShardMap assembled(ShardTable.Rows rows, @Nullable ShardMap before) {
        if (rows.version().isNone()) {
            throw new ShardMapException("Shard map in the table has no version: namespace=%s (row -1 holds it)"
                .formatted(this.choices.namespace()), "insert that row again");
        }
        @Nullable String[] databases = new @Nullable String[this.choices.shards()];
        long[] versions = new long[databases.length];
        for (ShardTable.Row row : rows.rows()) {
            int shard = row.shard();
            if (shard < 0 || shard >= databases.length) {
                throw refused("Shard %s does not exist".formatted(shard), rows.version(),
                        "start with the number of shards that the table was filled with");
            }
            databases[shard] = row.database();
            versions[shard] = row.version();
        }
        ShardRange hole = ShardMap.firstHole(databases);
        if (hole != null) {
            throw refused(ShardMap.subject(hole, "have", "has") + " no database", rows.version(),
                    "insert a row for each of them, with the version and the identity that row -1 has");
        }
        ShardMap map = ShardMap.of(Stream.of(databases).map(String::valueOf).toList(), rows.version());
        if (before != null) {
            refuseOlder(map, versions, before);
        }
        if (!this.choices.databases().isEmpty()) {
            map.checkDatabases(this.choices.databases());
        }
        this.brought = versions;
        return map;
    }

    private void refuseOlder(ShardMap map, long[] versions, ShardMap before) {
        List<Integer> back = IntStream.range(0, versions.length)
            .filter((shard) -> versions[shard] <= this.brought[shard]
                    && !map.databaseOf(shard).equals(before.databaseOf(shard)))
            .boxed()
            .toList();
        if (!back.isEmpty()) {
            throw new ShardMapException(
                    ("Shards have gone back in the table of the shard map: namespace=%s, shards=%s, version=%s, "
                            + "version in use=%s (only a later version moves a shard; the database of the map was "
                            + "restored, or has lost its last commits)")
                        .formatted(this.choices.namespace(), back, map.version(), before.version()),
                    "correct the map as %s says"
                        .formatted(MessageText.page("sharding/docs/moving.md#when-the-map-or-a-database-goes-back")));
        }
    }

    private ShardMapException refused(String what, MapVersion version, String remedy) {
        return new ShardMapException(
                ("%s in the table of the shard map: namespace=%s, version=%s (each shard from 0 to %s has one "
                        + "database)")
                    .formatted(what, this.choices.namespace(), version.number(), this.choices.shards() - 1),
                remedy);
    }

}
