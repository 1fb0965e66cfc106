package io.shardedid.spring.boot;

import io.shardedid.IdRangeSpentException;
import io.shardedid.IdsAheadOfClockException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerModeNoneException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/**
 * Tells a refused id that the next attempt may get from one that it cannot, in Spring's
 * terms, so that retries of transient failures work. A wrong shard key or assigned id is
 * left as it is: it is no matter of the data access.
 */
final class ShardedIdExceptionTranslator implements PersistenceExceptionTranslator {

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
        String message = String.valueOf(ex.getMessage());
        if (ex instanceof WorkerModeNoneException || ex instanceof IdRangeSpentException) {
            return new NonTransientDataAccessResourceException(message, ex);
        }
        if (ex instanceof WorkerLeaseException || ex instanceof IdsAheadOfClockException) {
            return new TransientDataAccessResourceException(message, ex);
        }
        return null;
    }

}
