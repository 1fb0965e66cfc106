package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

/**
 * The entities of tests whose shard key is an association: a user founds a shard, and a
 * photo goes to the shard of its author.
 */
final class AssociationModel {

    private AssociationModel() {
    }

    @Entity(name = "Users")
    static class User {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "author")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        User author;

        Photo() {
        }

        Photo(User author) {
            this.author = author;
        }

    }

}
