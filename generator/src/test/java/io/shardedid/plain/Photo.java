package io.shardedid.plain;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    Long id;

    Long userId;

}
