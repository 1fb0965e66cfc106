/**
 * How the shard of a row follows from its entity: the attribute that a mapping names, the
 * checks of that attribute, and the way from its value to a shard.
 */
@NullMarked
package io.shardedid.hibernate.key;

import org.jspecify.annotations.NullMarked;
