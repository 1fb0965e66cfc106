package io.shardedid.spring.questions;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostLoad;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Transient;

import org.springframework.data.domain.Persistable;

/** Gets its id before it is saved, and says itself whether it is new. */
@Entity
class Upload implements Persistable<Long> {

    @Id
    @ShardedId(shardKey = "userId", allowAssigned = true)
    private Long id;

    private Long userId;

    @Transient
    private boolean stored;

    protected Upload() {
    }

    Upload(Long id, Long userId) {
        this.id = id;
        this.userId = userId;
    }

    @Override
    public Long getId() {
        return this.id;
    }

    @Override
    public boolean isNew() {
        return !this.stored;
    }

    @PostLoad
    @PostPersist
    void store() {
        this.stored = true;
    }

}
