package io.shardedid.spring.wrong;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Names a shard key that is not there. */
@Entity
public class Wrong {

    @Id
    @ShardedId(shardKey = "nobody")
    private Long id;

}
