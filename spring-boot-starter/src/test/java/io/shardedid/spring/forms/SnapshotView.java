package io.shardedid.spring.forms;

import java.util.List;

import io.shardedid.jackson.JsonShardedId;

/** What a controller hands out and takes in. */
public record SnapshotView(@JsonShardedId(Snapshot.class) long id, @JsonShardedId(Snapshot.class) List<Long> next,
        @JsonShardedId Long owner, long views) {
}
