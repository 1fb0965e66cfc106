package io.shardedid.spring.questions;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Founds the shard of its rows. */
@Entity
class Owner {

    @Id
    @ShardedId
    private Long id;

    Long getId() {
        return this.id;
    }

}
