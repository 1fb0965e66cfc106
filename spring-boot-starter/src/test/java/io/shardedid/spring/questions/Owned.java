package io.shardedid.spring.questions;

import io.shardedid.ShardedId;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;

/**
 * Lives in the shard of its owner.
 *
 * @param <O> the entity that owns the row
 */
@MappedSuperclass
abstract class Owned<O> {

    @Id
    @ShardedId(shardKey = "owner")
    private Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    private O owner;

    protected Owned() {
    }

    Owned(O owner) {
        this.owner = owner;
    }

    Long getId() {
        return this.id;
    }

}
