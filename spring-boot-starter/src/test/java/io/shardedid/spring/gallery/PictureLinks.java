package io.shardedid.spring.gallery;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import io.shardedid.jackson.JsonShardedId;

/** Ids in all kinds of collections. */
public record PictureLinks(@JsonShardedId List<List<Long>> rows, @JsonShardedId long[][] table,
        @JsonShardedId Set<Long> set, @JsonShardedId Map<Long, Long> pairs,
        @JsonShardedId Map<String, List<Long>> byName, @JsonShardedId Map<Long, Integer> counts,
        @JsonShardedId Optional<Long> after, @JsonShardedId OptionalLong before) {
}
