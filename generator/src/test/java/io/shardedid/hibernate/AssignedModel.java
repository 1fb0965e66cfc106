package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The entity of tests whose rows may bring their id: an event goes to the shard of the
 * user id in it, and an id that the application assigned must be of that shard.
 */
final class AssignedModel {

    private AssignedModel() {
    }

    @Entity(name = "Event")
    static class Event {

        @Id
        @ShardedId(shardKey = "userId", allowAssigned = true)
        Long id;

        Long userId;

        Event() {
        }

        Event(Long id, Long userId) {
            this.id = id;
            this.userId = userId;
        }

    }

}
