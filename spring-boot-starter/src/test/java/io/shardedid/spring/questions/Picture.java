package io.shardedid.spring.questions;

import java.util.UUID;

import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Equal to other objects of its row, and known by another id outside. */
@Entity(name = "QuestionsPicture")
class Picture {

    @Id
    @ShardedId(shardKey = "userId")
    private Long id;

    private Long userId;

    @Column(nullable = false, unique = true, updatable = false)
    private UUID publicId = UUID.randomUUID();

    protected Picture() {
    }

    Picture(Long userId) {
        this.userId = userId;
    }

    Long getId() {
        return this.id;
    }

    Long getUserId() {
        return this.userId;
    }

    UUID getPublicId() {
        return this.publicId;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Picture picture && getId() != null && getId().equals(picture.getId());
    }

    @Override
    public int hashCode() {
        return Picture.class.hashCode();
    }

}
