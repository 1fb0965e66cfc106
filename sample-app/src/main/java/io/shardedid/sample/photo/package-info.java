/**
 * Photos: upload, the stored image, its thumbnail.
 */
@NullMarked
package io.shardedid.sample.photo;

import org.jspecify.annotations.NullMarked;
