package io.shardedid.spring.questions;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Is equal to other objects of its row. */
@Entity
class Picture {

    @Id
    @ShardedId(shardKey = "userId")
    private Long id;

    private Long userId;

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

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Picture picture && getId() != null && getId().equals(picture.getId());
    }

    @Override
    public int hashCode() {
        return Picture.class.hashCode();
    }

}
