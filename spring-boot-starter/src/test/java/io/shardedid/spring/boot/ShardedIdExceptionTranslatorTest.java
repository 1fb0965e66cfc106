package io.shardedid.spring.boot;

import io.shardedid.IdRangeExhaustedException;
import io.shardedid.IdsAheadOfClockException;
import io.shardedid.ShardKeyException;
import io.shardedid.WorkerLeaseException;
import org.junit.jupiter.api.Test;

import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessResourceException;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdExceptionTranslatorTest {

    private final ShardedIdExceptionTranslator translator = new ShardedIdExceptionTranslator();

    @Test
    void whatTheNextAttemptMayGetIsTransient() {
        assertTransient(new WorkerLeaseException("lease expired"));
        assertTransient(new WorkerLeaseException("all leased", true, "Wait.", null));
        assertTransient(new IdsAheadOfClockException("too far ahead"));
    }

    @Test
    void whatNoAttemptWillGetIsNotTransient() {
        assertNotTransient(new WorkerLeaseException("none", false, "Use another mode.", null));
        assertNotTransient(new IdRangeExhaustedException("spent"));
    }

    @Test
    void anythingElseIsLeftAlone() {
        assertThat(this.translator.translateExceptionIfPossible(new ShardKeyException("null"))).isNull();
        assertThat(this.translator.translateExceptionIfPossible(new IllegalStateException())).isNull();
    }

    private void assertTransient(RuntimeException cause) {
        assertThat(this.translator.translateExceptionIfPossible(cause))
            .isInstanceOf(TransientDataAccessResourceException.class)
            .hasMessage(cause.getMessage())
            .hasCause(cause);
    }

    private void assertNotTransient(RuntimeException cause) {
        assertThat(this.translator.translateExceptionIfPossible(cause))
            .isInstanceOf(NonTransientDataAccessResourceException.class)
            .hasMessage(cause.getMessage())
            .hasCause(cause);
    }

}
