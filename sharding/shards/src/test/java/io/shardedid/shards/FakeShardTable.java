package io.shardedid.shards;

import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/** The tables of a shard map in memory, with a log of what was asked of them. */
final class FakeShardTable implements ShardTable {

    final List<String> calls = new ArrayList<>();

    final Map<Integer, String> homes = new TreeMap<>();

    final Map<Integer, Long> versions = new TreeMap<>();

    private final Map<String, String> identities = new TreeMap<>();

    /** The shards that a mover works on. */
    final List<Integer> moving = new ArrayList<>();

    /** What it takes to read the version. */
    Runnable onVersion = () -> {
    };

    long version;

    /** The identity of the map: a new one with each change. */
    long identity;

    private long lastIdentity = 1_000;

    /** Thrown by each call whose name begins so. */
    @Nullable String faultIn;

    @Nullable Throwable fault;

    /** Changes the map as a mover does. */
    void put(String range, String database) {
        this.version++;
        this.identity = ++this.lastIdentity;
        ShardRange shards = ShardRange.parse(range);
        for (int shard = shards.first(); shard <= shards.last(); shard++) {
            this.homes.put(shard, database);
            this.versions.put(shard, this.version);
        }
    }

    /** Loses the last changes, as a restore does or the failover to a late standby. */
    Runnable backup() {
        Map<Integer, String> homesThen = Map.copyOf(this.homes);
        Map<Integer, Long> versionsThen = Map.copyOf(this.versions);
        MapVersion then = new MapVersion(this.version, this.identity);
        return () -> {
            this.homes.putAll(homesThen);
            this.versions.putAll(versionsThen);
            this.version = then.number();
            this.identity = then.identity();
        };
    }

    void fails(String call) {
        fails(call, new SQLTransientException("the line is cut\nat some detail"));
    }

    void fails(String call, Throwable thrown) {
        this.faultIn = call;
        this.fault = thrown;
    }

    void answers() {
        this.faultIn = null;
    }

    private void called(String call) throws Exception {
        this.calls.add(call);
        if (this.faultIn != null && call.startsWith(this.faultIn)) {
            if (this.fault instanceof Error error) {
                throw error;
            }
            throw (Exception) this.fault;
        }
    }

    @Override
    public void ensure() throws Exception {
        called("ensure");
    }

    @Override
    public boolean fill(ShardMap map) throws Exception {
        called("fill");
        this.version = 1;
        this.identity = ++this.lastIdentity;
        for (int shard = 0; shard < map.shards(); shard++) {
            this.homes.put(shard, map.databaseOf(shard));
            this.versions.put(shard, 1L);
        }
        return true;
    }

    @Override
    public MapVersion version() throws Exception {
        called("version");
        this.onVersion.run();
        return new MapVersion(this.version, this.identity);
    }

    @Override
    public Rows read() throws Exception {
        called("read");
        return new Rows(new MapVersion(this.version, this.identity),
                this.homes.keySet().stream().map(this::row).toList());
    }

    private Row row(int shard) {
        return new Row(shard, this.homes.get(shard), this.versions.get(shard));
    }

    @Override
    public List<Row> settled() throws Exception {
        called("settled");
        return this.homes.keySet().stream().filter((shard) -> !this.moving.contains(shard)).map(this::row).toList();
    }

    @Override
    public String note(String name, String identity) throws Exception {
        called("note");
        return this.identities.computeIfAbsent(name, (any) -> identity);
    }

}
