package io.shardedid.shards;

import java.util.stream.Stream;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExceptionsTest {

    @Test
    void onlyAMoveIsRetryable() {
        assertThat(new ShardMovedException("x").retryable()).isTrue();
        assertThat(Stream.<ShardedIdException>of(new ShardUnknownException("x"), new CrossShardException("x"),
                new ShardMapException("x")))
            .noneMatch(ShardedIdException::retryable);
        assertThat(Stream
            .<ShardedIdException>of(new ShardMovedException("x"), new ShardUnknownException("x"),
                    new CrossShardException("x"), new ShardMapException("x"))
            .map(ShardedIdException::action)).doesNotHaveDuplicates().allMatch((action) -> action.endsWith("."));
        assertThat(new ShardMapException("x")).isInstanceOf(ShardedIdConfigurationException.class);
    }

    @Test
    void anIdThatLeadsElsewhereOrNowhereHidesItsRow() {
        assertThat(new CrossShardException("x", true).hidesRow()).isTrue();
        assertThat(new CrossShardException("x").hidesRow()).isFalse();
        assertThat(new ShardUnknownException("x", new ShardKeyException("x", ShardKeyException.Reason.NO_SUCH_ID))
            .hidesRow()).isTrue();
        assertThat(new ShardUnknownException("x", new ShardKeyException("x")).hidesRow()).isFalse();
        assertThat(new ShardUnknownException("x").hidesRow()).isFalse();
        assertThat(new ShardUnknownException("x", new ShardKeyException("x"), true).hidesRow()).isTrue();
    }

}
