/**
 * JSON of sharded ids for Jackson 3 and Jackson 2: ids are strings, because JavaScript
 * rounds numbers beyond 2<sup>53</sup>.
 */
@NullMarked
package io.shardedid.jackson;

import org.jspecify.annotations.NullMarked;
