package io.shardedid.redis;

import java.util.List;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisURI;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeaseStoreProvider.Place;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisStoreProviderTest {

    /** It serves the cache of the application, too. */
    @Test
    void loginOfTheLeasesLeavesTheAddressOfTheApplicationAlone() {
        RedisURI cache = RedisURI.create("redis://feed:cached@cache.example");

        new RedisStoreProvider().open(new Place(null, "keeper", "secret", List.of(cache)), "default").close();

        assertThat(cache.getCredentialsProvider().resolveCredentials().block()).satisfies((login) -> {
            assertThat(login.getUsername()).isEqualTo("feed");
            assertThat(login.getPassword()).containsExactly("cached".toCharArray());
        });
    }

    @Test
    void aServerThatLoadsItsDataIsWaitedFor() {
        try (LeaseStore store = RedisWorkerLeases.store(RedisURI.create("redis://cache.example"), "ids:", "default")) {
            assertThat(store.isTransient(new WorkerLeaseException("no answer",
                    new RedisLoadingException("LOADING Redis is loading the dataset in memory"))))
                .isTrue();
            assertThat(store.isTransient(new WorkerLeaseException("no answer",
                    new RedisCommandExecutionException("WRONGPASS invalid username-password pair"))))
                .isFalse();
        }
    }

}
