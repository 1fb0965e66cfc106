package io.shardedid.internal.key;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import org.jspecify.annotations.Nullable;

/**
 * The form in which an attribute holds a sharded id: how one is made there, and how its
 * shard is read. Immutable and thread-safe.
 *
 * @since 0.1
 */
public sealed interface IdForm permits NumberForm, UuidForm {

    /**
     * Makes the next id of a shard.
     * @param shard 0 to shards - 1, or {@link ShardOfKey#OWN_SHARD}
     * @param ids the engine
     * @return the value that the attribute has for it
     * @throws io.shardedid.ShardedIdException as in {@link ShardedIds#next(int)}
     */
    Object next(int shard, ShardedIds ids);

    /**
     * Returns the shard where the children of a row live.
     * @param value the value of the attribute in that row
     * @param ids reads the ids of this fleet
     * @return 0 to shards - 1
     * @throws NumberFormatException if the value stands for no id
     * @throws io.shardedid.ShardKeyException if the id leads to no shard
     */
    int shardOf(Object value, IdReader ids);

    /**
     * Returns the shard that an id carries.
     * @param value the value of the attribute
     * @param ids reads the ids of this fleet
     * @return the shard, or null if the id was not made by this generator
     * @throws NumberFormatException if the value stands for no id
     */
    @Nullable Integer shardIn(Object value, IdReader ids);

    /**
     * Returns whether the bits of an id name a shard, no matter who made it.
     * @param shard the shard
     * @param value the value of the attribute
     * @param layout the layout of the ids
     * @return whether they do; false for a value that has no such bits
     * @throws NumberFormatException if the value stands for no id
     */
    boolean names(int shard, Object value, IdLayout layout);

}
