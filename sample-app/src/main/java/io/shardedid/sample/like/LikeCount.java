package io.shardedid.sample.like;

/**
 * How many likes a photo has.
 */
interface LikeCount {

    /** The id of the photo. */
    long getPhoto();

    /** At least 1. */
    long getLikes();

}
