package io.shardedid.spring.questions;

import java.util.Objects;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Has the methods that Lombok's {@code @Data} writes. */
@Entity
class LombokPicture {

    @Id
    @ShardedId(shardKey = "userId")
    private Long id;

    private Long userId;

    protected LombokPicture() {
    }

    LombokPicture(Long userId) {
        this.userId = userId;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LombokPicture picture && Objects.equals(this.id, picture.id)
                && Objects.equals(this.userId, picture.userId);
    }

    @Override
    public int hashCode() {
        return Objects.hash(this.id, this.userId);
    }

}
