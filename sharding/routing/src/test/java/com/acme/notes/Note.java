package com.acme.notes;

import java.util.UUID;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A note lives with its user, and its id is a UUID. */
@Entity
public class Note {

    @Id
    @ShardedId(shardKey = "userId")
    private UUID id;

    private long userId;

    private String text;

    protected Note() {
    }

    public Note(long userId, String text) {
        this.userId = userId;
        this.text = text;
    }

    public UUID getId() {
        return this.id;
    }

    public String getText() {
        return this.text;
    }

}
