package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The entity of tests whose shard key is a plain number: a like goes to the shard of the
 * user id in it.
 */
final class ScalarModel {

    private ScalarModel() {
    }

    @Entity(name = "Likes")
    static class Like {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        Long userId;

        String note;

        Like() {
        }

        Like(Long userId) {
            this.userId = userId;
        }

    }

}
