/**
 * JSON of sharded ids: strings, because a number beyond 2<sup>53</sup> is rounded by
 * JavaScript.
 */
@NullMarked
package io.shardedid.spring.json;

import org.jspecify.annotations.NullMarked;
