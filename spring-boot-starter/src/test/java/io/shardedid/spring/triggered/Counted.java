package io.shardedid.spring.triggered;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An entity whose ids the database makes. */
@Entity
public class Counted {

    @Id
    @ShardedId(strategy = IdStrategy.DATABASE)
    Long id;

}
