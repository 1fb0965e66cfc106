package io.shardedid.spring.gallery;

import java.util.List;
import java.util.Map;

import io.shardedid.jackson.JsonShardedId;

/** What a controller hands out and takes in. */
public record PictureView(@JsonShardedId long id, @JsonShardedId Long album, @JsonShardedId List<Long> likes,
        @JsonShardedId Map<String, Long> neighbours, long views, String caption) {
}
