package io.shardedid.sample.feed;

import java.time.Instant;

import io.shardedid.sample.user.UserView;
import org.jspecify.annotations.Nullable;

/**
 * A photo as pages and JSON show it.
 *
 * @param id the id, as text
 * @param caption what the author says; may be empty
 * @param author who published it
 * @param shard the logical shard it lives in, read from the id; the author's
 * @param worker the worker id of the process that made the id
 * @param database the database in which it lives; null if there is only one
 * @param at when it was published, read from the id
 * @param width pixels
 * @param height pixels
 * @param likes how many users like it
 * @param liked whether the visitor is one of them
 * @param image where the upload is
 * @param thumbnail where the small picture is
 */
public record PhotoView(String id, String caption, UserView author, int shard, int worker, @Nullable String database,
        Instant at, int width, int height, long likes, boolean liked, String image, String thumbnail) {
}
