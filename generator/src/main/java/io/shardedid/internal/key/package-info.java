/**
 * What every integration that maps entities shares, whichever framework maps them: the
 * annotated attributes of a class, the form of an id in an attribute, the way from a key
 * to its shard, and the check of an id that the application assigned. It sees no
 * framework.
 */
@NullMarked
package io.shardedid.internal.key;

import org.jspecify.annotations.NullMarked;
