package io.shardedid.sample.demo;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.shardedid.routing.Shards;
import io.shardedid.sample.user.Users;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;

import org.springframework.dao.DataIntegrityViolationException;

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
        given(users.save(ArgumentMatchers.any())).willThrow(this.twice);
        Shards shards = mock();
        given(shards.inEach(ArgumentMatchers.<Supplier<Boolean>>any()))
            .willAnswer((call) -> Map.of("home", answers.next()));
        new DemoData(users, mock(), mock(), shards).afterSingletonsInstantiated();
    }

}
