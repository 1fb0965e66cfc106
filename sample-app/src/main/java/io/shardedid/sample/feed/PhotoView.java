package io.shardedid.sample.feed;

import java.time.Instant;

import io.shardedid.jackson.JsonShardedId;
import io.shardedid.sample.user.UserView;

/**
 * A photo as pages and JSON show it.
 *
 * @param id the id; a string in JSON, since JavaScript rounds integers beyond
 * 2<sup>53</sup>
 * @param caption what the author says; may be empty
 * @param author who published it
 * @param shard the logical shard it lives in, read from the id; the author's
 * @param worker the worker id of the process that made the id
 * @param at when it was published, read from the id
 * @param width pixels
 * @param height pixels
 * @param likes how many users like it
 * @param liked whether the visitor is one of them
 * @param image where the picture is
 */
public record PhotoView(@JsonShardedId long id, String caption, UserView author, int shard, int worker, Instant at,
        int width, int height, long likes, boolean liked, String image) {
}
