package com.acme.photos;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;

/** A photo lives with its user. */
@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    private Long id;

    private long userId;

    private String caption;

    @OneToMany(mappedBy = "photo")
    private List<Comment> comments = new ArrayList<>();

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

    public void setUserId(long userId) {
        this.userId = userId;
    }

    public String getCaption() {
        return this.caption;
    }

    public void setCaption(String caption) {
        this.caption = caption;
    }

    public List<Comment> getComments() {
        return this.comments;
    }

}
