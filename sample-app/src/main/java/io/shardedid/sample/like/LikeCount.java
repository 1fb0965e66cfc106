package io.shardedid.sample.like;

/**
 * How many likes a photo has.
 *
 * @param photo the id of the photo
 * @param likes at least 1
 */
record LikeCount(long photo, long likes) {
}
