package io.shardedid.shards;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Reads the map from its table, as a whole or what has changed, and refuses one that this
 * application cannot go by.
 */
final class MapReader {

    /** The version of a process that has read none. */
    static final long NO_VERSION = 0;

    private static final System.Logger LOG = System.getLogger(TableShardDirectory.class.getName());

    private final TableShardDirectory.Choices choices;

    MapReader(TableShardDirectory.Choices choices) {
        this.choices = choices;
    }

    /**
     * Reads the map, and stores the initial one first if the namespace has none.
     * @throws ShardMapException if there is no map that can be used
     */
    ShardMap first(ShardTable table) throws Exception {
        ShardMap initial = this.choices.initial();
        boolean filled = initial != null && table.version() == NO_VERSION && table.fill(initial);
        ShardTable.Rows rows = table.changedSince(NO_VERSION);
        if (rows.version() == NO_VERSION && rows.rows().isEmpty()) {
            throw new ShardMapException(
                    "There is no shard map: namespace=%s, initial-map=null".formatted(this.choices.namespace()),
                    ("set 'shardedid.databases.initial-map', or 'initial-map' of the sharding algorithm, for "
                            + "example to '0-%s: a'")
                        .formatted(this.choices.shards() - 1));
        }
        ShardMap map = assembled(rows, new @Nullable String[this.choices.shards()]);
        if (filled) {
            LOG.log(System.Logger.Level.INFO, "The shard map was stored, version {0}: {1}",
                    Long.toString(map.version()), map);
        }
        else if (initial != null && !initial.sameAs(map)) {
            LOG.log(System.Logger.Level.INFO,
                    "The shard map in the table counts, version {0}: {1}; ''shardedid.databases.initial-map'' says otherwise: {2}",
                    Long.toString(map.version()), map, initial);
        }
        return map;
    }

    /**
     * Reads what has changed.
     * @return the same map if nothing has
     * @throws ShardMapException if there is no map that can be used
     */
    ShardMap changed(ShardTable table, ShardMap before) throws Exception {
        long version = table.version();
        if (version == before.version()) {
            return before;
        }
        if (version < before.version()) {
            throw new ShardMapException(
                    ("Shard map in the table is older than the one in use: namespace=%s, version=%s, version in "
                            + "use=%s (the version only grows)")
                        .formatted(this.choices.namespace(), version, before.version()),
                    "restore the rows of the table, or restart every process");
        }
        @Nullable String[] databases = new @Nullable String[before.shards()];
        for (int shard = 0; shard < databases.length; shard++) {
            databases[shard] = before.databaseOf(shard);
        }
        return assembled(table.changedSince(before.version()), databases);
    }

    private ShardMap assembled(ShardTable.Rows rows, @Nullable String[] databases) {
        if (rows.version() == NO_VERSION) {
            throw new ShardMapException("Shard map in the table has no version: namespace=%s (row -1 holds it)"
                .formatted(this.choices.namespace()), "insert that row again");
        }
        for (ShardTable.Row row : rows.rows()) {
            int shard = row.shard();
            if (shard < 0 || shard >= databases.length) {
                throw refused("Shard %s does not exist".formatted(shard), rows.version(),
                        "start with the number of shards that the table was filled with");
            }
            databases[shard] = row.database();
        }
        ShardRange hole = ShardMap.firstHole(databases);
        if (hole != null) {
            throw refused(ShardMap.subject(hole, "have", "has") + " no database", rows.version(),
                    "insert a row for each of them, with the version that row -1 has");
        }
        ShardMap map = ShardMap.of(Stream.of(databases).map(String::valueOf).toList(), rows.version());
        return this.choices.databases().isEmpty() ? map : map.checkDatabases(this.choices.databases());
    }

    private ShardMapException refused(String what, long version, String remedy) {
        return new ShardMapException(
                ("%s in the table of the shard map: namespace=%s, version=%s (each shard from 0 to %s has one "
                        + "database)")
                    .formatted(what, this.choices.namespace(), version, this.choices.shards() - 1),
                remedy);
    }

}
