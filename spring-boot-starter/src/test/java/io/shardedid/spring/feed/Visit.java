package io.shardedid.spring.feed;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Has a primitive id, which is 0 until it is stored. */
@Entity
public class Visit {

    @Id
    @ShardedId(shardKey = "userId")
    private long id;

    private long userId;

    protected Visit() {
    }

    public Visit(long userId) {
        this.userId = userId;
    }

    public long getId() {
        return this.id;
    }

    public long getUserId() {
        return this.userId;
    }

    public void setUserId(long userId) {
        this.userId = userId;
    }

}
