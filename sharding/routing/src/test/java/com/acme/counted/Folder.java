package com.acme.counted;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row whose shard the database chooses if it has no parent. */
@Entity
public class Folder {

    @Id
    @ShardedId(shardKey = "parent", optionalKey = true, strategy = IdStrategy.DATABASE)
    Long id;

    Long parent;

}
