package io.shardedid.spring.questions;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Gets its id before it is saved, and leaves it to Spring Data whether it is new. */
@Entity
class PlainUpload {

    @Id
    @ShardedId(shardKey = "userId", allowAssigned = true)
    private Long id;

    private Long userId;

    protected PlainUpload() {
    }

    PlainUpload(Long id, Long userId) {
        this.id = id;
        this.userId = userId;
    }

}
