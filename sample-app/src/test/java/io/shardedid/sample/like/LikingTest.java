package io.shardedid.sample.like;

import java.sql.SQLException;
import java.util.Collections;
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
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
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

    @Autowired
    private JdbcTemplate sql;

    /** What the clicks at the same moment rest on, whoever comes first. */
    @Test
    void databaseRefusesASecondLikeOfOneUser() {
        User user = user();
        Photo photo = this.publisher.publish(user, "", SampleImages.picture(8, 6));
        this.liking.like(photo, user);
        String again = "insert into photo_like (id, photo_id, user_id) select id + 1, photo_id, user_id + ? "
                + "from photo_like where photo_id = ?";

        assertThatExceptionOfType(DuplicateKeyException.class)
            .isThrownBy(() -> this.sql.update(again, 0, photo.getId()))
            .havingRootCause()
            .asInstanceOf(InstanceOfAssertFactories.type(SQLException.class))
            .returns("23505", SQLException::getSQLState);
        assertThat(this.sql.update(again, 1, photo.getId())).as("of another user").isOne();
    }

    @Test
    void clicksOfOneUserAtTheSameMomentAreOneLike() throws Exception {
        User user = user();
        Photo photo = this.publisher.publish(user, "", SampleImages.picture(8, 6));
        click(photo, Collections.nCopies(CLICKS, user));
        assertThat(this.tally.of(photo.getId(), null).likes()).isEqualTo(1);
    }

    @Test
    void clicksOfManyUsersAtTheSameMomentAreAllCounted() throws Exception {
        List<User> users = IntStream.range(0, CLICKS).mapToObj((i) -> user()).toList();
        Photo photo = this.publisher.publish(users.get(0), "", SampleImages.picture(8, 6));
        click(photo, users);
        assertThat(this.tally.of(photo.getId(), null).likes()).isEqualTo(CLICKS);
    }

    /** All of them at once. */
    private void click(Photo photo, List<User> users) throws Exception {
        CyclicBarrier gate = new CyclicBarrier(users.size());
        List<Callable<Void>> clicks = users.stream().map((user) -> (Callable<Void>) () -> {
            gate.await();
            this.liking.like(photo, user);
            return null;
        }).toList();
        ExecutorService threads = Executors.newFixedThreadPool(users.size());
        try {
            for (Future<Void> done : threads.invokeAll(clicks)) {
                done.get();
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    private User user() {
        return this.users.save(new User(UUID.randomUUID().toString()));
    }

}
