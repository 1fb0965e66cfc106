package io.shardedid.shards;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
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

    Map<String, Long> seen = new TreeMap<>();

    /** The shards that a mover works on. */
    final List<Integer> moving = new ArrayList<>();

    long version;

    /** Thrown by each call whose name begins so. */
    @Nullable String faultIn;

    @Nullable Throwable fault;

    /** Changes the map as a mover does. */
    void put(String range, String database) {
        this.version++;
        ShardRange shards = ShardRange.parse(range);
        for (int shard = shards.first(); shard <= shards.last(); shard++) {
            this.homes.put(shard, database);
            this.versions.put(shard, this.version);
        }
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
        for (int shard = 0; shard < map.shards(); shard++) {
            this.homes.put(shard, map.databaseOf(shard));
            this.versions.put(shard, 1L);
        }
        return true;
    }

    @Override
    public long version() throws Exception {
        called("version");
        return this.version;
    }

    @Override
    public Rows changedSince(long known) throws Exception {
        called("read " + known);
        return new Rows(this.version,
                this.homes.entrySet()
                    .stream()
                    .filter((each) -> this.versions.get(each.getKey()) > known)
                    .map((each) -> new Row(each.getKey(), each.getValue()))
                    .toList());
    }

    @Override
    public boolean acknowledge(String process, long version, Duration lease) throws Exception {
        called("tell " + version);
        return this.seen.put(process, version) != null;
    }

    @Override
    public void leave(String process) throws Exception {
        called("leave");
        this.seen.remove(process);
    }

    @Override
    public List<ShardRouter> routers() throws Exception {
        called("routers");
        return this.seen.entrySet()
            .stream()
            .map((each) -> new ShardRouter(each.getKey(), each.getValue(), Instant.EPOCH, Instant.EPOCH))
            .toList();
    }

    @Override
    public List<Row> settled() throws Exception {
        called("settled");
        return this.homes.entrySet()
            .stream()
            .filter((each) -> !this.moving.contains(each.getKey()))
            .map((each) -> new Row(each.getKey(), each.getValue()))
            .toList();
    }

}
