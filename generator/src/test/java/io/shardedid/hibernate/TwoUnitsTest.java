package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.hibernate.ColocationModel.Like;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two persistence units, two databases, one engine.
 */
class TwoUnitsTest {

    @Test
    void makeIdsThatDifferAndShareShards() {
        try (ShardedIdEngine ids = TestUnit.engine(17);
                TestUnit users = TestUnit.with(ids, User.class);
                TestUnit likes = TestUnit.with(ids, Like.class)) {
            List<Long> made = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                User user = new User();
                users.persist(user);
                Like like = new Like(user.id);
                likes.persist(like);
                assertThat(ids.shardOf(like.id)).isEqualTo(ids.shardOf(user.id));
                made.add(user.id);
                made.add(like.id);
            }
            assertThat(made).doesNotHaveDuplicates();
        }
    }

}
