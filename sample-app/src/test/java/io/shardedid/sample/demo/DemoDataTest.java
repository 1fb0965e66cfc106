package io.shardedid.sample.demo;

import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

import io.shardedid.sample.user.Users;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Two instances that fill one empty database at the same moment.
 */
class DemoDataTest {

    private final DataIntegrityViolationException twice = new DataIntegrityViolationException("name is unique");

    @Test
    void letsTheOtherInstanceFillIt() {
        assertThatCode(() -> start(false, true)).doesNotThrowAnyException();
    }

    @Test
    void failsIfNobodyFilledIt() {
        assertThatThrownBy(() -> start(false, false)).isSameAs(this.twice);
    }

    private void start(Boolean before, Boolean after) {
        Iterator<Boolean> answers = List.of(before, after).iterator();
        Users users = mock();
        given(users.existsBy()).willAnswer((call) -> answers.next());
        new DemoData(users, mock(), mock(), new TransactionTemplate() {

            @Override
            public void executeWithoutResult(Consumer<TransactionStatus> action) {
                throw DemoDataTest.this.twice;
            }

        }).afterSingletonsInstantiated();
    }

}
