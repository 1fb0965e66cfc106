package io.shardedid.repository;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

@Entity
class Note {

    /**
     * Beside our annotation only for the repositories: with it, they insert new rows. The
     * key is a constant of the metamodel, as docs/mapping.md says.
     */
    @Id
    @GeneratedValue
    @ShardedId(shardKey = Note_.USER_ID)
    Long id;

    long userId;

    String body;

    Note() {
    }

    Note(long userId, String body) {
        this.userId = userId;
        this.body = body;
    }

}
