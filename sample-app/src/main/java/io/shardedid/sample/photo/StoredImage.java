package io.shardedid.sample.photo;

/**
 * An image as it was uploaded.
 */
interface StoredImage {

    /** What its content was found to be. */
    String getMediaType();

    /** The file. */
    byte[] getOriginal();

}
