package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.User;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
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
                TestUnit orders = TestUnit.with(ids, Order.class)) {
            List<Long> made = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                User user = new User();
                users.persist(user);
                Order order = new Order(user.id);
                orders.persist(order);
                assertThat(ids.shardOf(order.id)).isEqualTo(ids.shardOf(user.id));
                made.add(user.id);
                made.add(order.id);
            }
            assertThat(made).doesNotHaveDuplicates();
        }
    }

    @Entity(name = "Orders")
    static class Order {

        @Id
        @ShardedId(colocateWith = "userId")
        Long id;

        Long userId;

        Order() {
        }

        Order(Long userId) {
            this.userId = userId;
        }

    }

}
