/**
 * JSON of sharded ids for Jackson 3 and 2: strings, because JavaScript rounds numbers.
 */
@NullMarked
package io.shardedid.jackson;

import org.jspecify.annotations.NullMarked;
