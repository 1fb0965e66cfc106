package io.shardedid.sample.photo;

/**
 * The small picture of an image, a JPEG.
 */
interface StoredThumbnail {

    byte[] getThumbnail();

}
