package io.shardedid.sample.photo;

/**
 * A picture that can be published.
 *
 * @param width pixels
 * @param height pixels
 * @param jpeg the file
 */
public record Picture(int width, int height, byte[] jpeg) {
}
