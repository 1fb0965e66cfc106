package io.shardedid.hibernate.key;

import io.shardedid.ShardedIds;

import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * Finds the shard of an entity that is about to be inserted. Everything was resolved and
 * checked when the session factory was built, so reading selects nothing and looks
 * nothing up by reflection. Immutable and safe for use by many threads.
 * <p>
 * The type is public for package {@code io.shardedid.hibernate} only and is no API.
 *
 * @since 0.1
 */
public interface ShardKeyReader {

    /**
     * Reads the shard key off an entity and maps it to its shard.
     * @param entity the entity
     * @param session the session that inserts the entity
     * @param ids the engine
     * @return 0 to shards - 1
     * @throws io.shardedid.ShardKeyException if the key is null or leads to no shard; the
     * message names the entity and the key
     */
    default int shardOf(Object entity, SharedSessionContractImplementor session, ShardedIds ids) {
        return shardOfValue(attribute().first(entity), entity, session.getFactory(), ids);
    }

    /**
     * Maps a value that the attribute at the root of the key has, or had, to its shard.
     * @param value the value of {@link AttributePath#root()}
     * @param entity the entity, for the message of a refusal
     * @param factory the session factory
     * @param ids the engine
     * @return 0 to shards - 1
     * @throws io.shardedid.ShardKeyException as above
     */
    int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory, ShardedIds ids);

    /**
     * Returns the way from the key to the shard.
     * @return the way
     */
    ShardOfKey shard();

    /**
     * Returns how the key is read off an entity.
     * @return the path
     */
    AttributePath attribute();

    /**
     * Returns the key as the annotation spells it.
     * @return the text of the path
     */
    default String path() {
        return attribute().text();
    }

}
