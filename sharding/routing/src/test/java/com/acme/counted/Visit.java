package com.acme.counted;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row whose shard the database chooses, with the id. */
@Entity
public class Visit {

    @Id
    @ShardedId(strategy = IdStrategy.DATABASE)
    Long id;

}
