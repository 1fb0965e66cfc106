package io.shardedid.repository;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
class Note {

    @Id
    @ShardedId(shardKey = "userId")
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
