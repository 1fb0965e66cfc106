package io.shardedid.spring.feed;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Founds a shard of its own. */
@Entity
public class Author {

    @Id
    @ShardedId
    private Long id;

    public Long getId() {
        return this.id;
    }

}
