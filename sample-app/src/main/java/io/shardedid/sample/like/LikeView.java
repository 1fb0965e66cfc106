package io.shardedid.sample.like;

/**
 * The likes of a photo as pages and JSON show them.
 *
 * @param photo the id of the photo, as text
 * @param likes how many users like it
 * @param liked whether the visitor is one of them
 */
public record LikeView(String photo, long likes, boolean liked) {

    LikeView larger(LikeView other) {
        return (other.likes > this.likes) ? other : this;
    }

}
