package io.shardedid.sample.like;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.shardedid.sample.SampleImages;
import io.shardedid.sample.SampleTest;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

@SampleTest
class LikingTest {

    private static final int CLICKS = 8;

    @Autowired
    private Liking liking;

    @Autowired
    private LikeTally tally;

    @Autowired
    private Users users;

    @Autowired
    private Publisher publisher;

    @Test
    void clicksAtTheSameMomentAreOneLike() throws Exception {
        User user = this.users.save(new User(UUID.randomUUID().toString()));
        Photo photo = this.publisher.publish(user, "", SampleImages.png(8, 6));
        CyclicBarrier gate = new CyclicBarrier(CLICKS);
        Callable<Void> click = () -> {
            gate.await();
            this.liking.like(photo, user);
            return null;
        };
        ExecutorService threads = Executors.newFixedThreadPool(CLICKS);
        try {
            List<Future<Void>> clicks = threads.invokeAll(IntStream.range(0, CLICKS).mapToObj((i) -> click).toList());
            for (Future<Void> done : clicks) {
                done.get();
            }
        }
        finally {
            threads.shutdownNow();
        }
        assertThat(this.tally.of(photo.getId(), null).likes()).isEqualTo(1);
    }

}
