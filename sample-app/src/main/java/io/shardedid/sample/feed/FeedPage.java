package io.shardedid.sample.feed;

import java.util.List;

import io.shardedid.jackson.JsonShardedId;
import org.jspecify.annotations.Nullable;

/**
 * Some photos, newest first, and where the next older ones begin.
 *
 * @param photos the photos
 * @param older what to pass as {@code before} to get older ones; null if there are none
 */
public record FeedPage(List<PhotoView> photos, @JsonShardedId @Nullable Long older) {
}
