package io.shardedid.sample.like;

import io.shardedid.jackson.JsonShardedId;

/**
 * The likes of a photo as pages and JSON show them.
 *
 * @param photo the id of the photo; a string in JSON
 * @param likes how many users like it
 * @param liked whether the visitor is one of them
 */
public record LikeView(@JsonShardedId long photo, long likes, boolean liked) {

}
