/**
 * Sharded ids in Spring Data.
 *
 * <p>
 * Ids sort by time, so {@code OrderByIdDesc} and {@code Sort.by(DESC, "id")} are "newest
 * first", to the tick and within the error of the clocks; no other column and no other
 * index is needed for it. Keyset scrolling by id needs nothing of this package:
 * {@code Window<Photo> findFirst20ByAuthorOrderByIdDesc(Author author, ScrollPosition
 * position)}.
 */
@NullMarked
package io.shardedid.spring.data;

import org.jspecify.annotations.NullMarked;
