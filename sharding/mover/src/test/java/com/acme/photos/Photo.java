package com.acme.photos;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A photo lives with its user. */
@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    private Long id;

    private long userId;

    private String caption;

    protected Photo() {
    }

    public Photo(long userId, String caption) {
        this.userId = userId;
        this.caption = caption;
    }

    public Long getId() {
        return this.id;
    }

    public long getUserId() {
        return this.userId;
    }

    public String getCaption() {
        return this.caption;
    }

    public void setCaption(String caption) {
        this.caption = caption;
    }

}
