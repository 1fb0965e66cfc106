package io.shardedid.sample.photo;

/**
 * An image as it was uploaded.
 *
 * @param mediaType what its content was found to be
 * @param bytes the file
 */
record StoredImage(String mediaType, byte[] bytes) {
}
