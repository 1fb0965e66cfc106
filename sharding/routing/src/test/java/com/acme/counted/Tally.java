package com.acme.counted;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row that gets its id in the database of its key. */
@Entity
public class Tally {

    @Id
    @ShardedId(shardKey = "userId", strategy = IdStrategy.DATABASE)
    Long id;

    long userId;

}
