package io.shardedid.spring.forms;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Its ids have the form of all entities. */
@Entity
public class Owner {

    @Id
    @ShardedId
    private Long id;

    public Long getId() {
        return this.id;
    }

}
