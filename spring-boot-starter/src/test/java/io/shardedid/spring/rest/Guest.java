package io.shardedid.spring.rest;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Its ids are plain numbers. */
@Entity
public class Guest {

    @Id
    @ShardedId
    private Long id;

    public Long getId() {
        return this.id;
    }

    public void setId(Long id) {
        this.id = id;
    }

}
