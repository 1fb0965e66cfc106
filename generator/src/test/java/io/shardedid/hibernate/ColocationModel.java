package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The entity of tests whose shard key is a number that holds a sharded id: a like goes to
 * the shard of the user whose id is in it.
 */
final class ColocationModel {

    private ColocationModel() {
    }

    @Entity(name = "ColocatedLikes")
    static class Like {

        @Id
        @ShardedId(colocateWith = "userId")
        Long id;

        Long userId;

        Like() {
        }

        Like(Long userId) {
            this.userId = userId;
        }

    }

}
