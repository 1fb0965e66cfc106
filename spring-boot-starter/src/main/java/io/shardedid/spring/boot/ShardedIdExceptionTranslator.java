package io.shardedid.spring.boot;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/**
 * Translates exceptions into Spring's terms, so that retries of transient failures work:
 * a retryable exception becomes a transient one. A wrong shard key or assigned id is left
 * as it is, because it is no failure of the data access.
 *
 * @apiNote A bean named {@code shardedIdExceptionTranslator} replaces the starter's.
 * @since 0.1
 */
public final class ShardedIdExceptionTranslator implements PersistenceExceptionTranslator {

    /** Creates the translator. */
    public ShardedIdExceptionTranslator() {
    }

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
        if (!(ex instanceof ShardedIdException refused) || refused instanceof ShardKeyException) {
            return null;
        }
        String message = String.valueOf(refused.getMessage());
        return refused.retryable() ? new TransientDataAccessResourceException(message, refused)
                : new NonTransientDataAccessResourceException(message, refused);
    }

}
