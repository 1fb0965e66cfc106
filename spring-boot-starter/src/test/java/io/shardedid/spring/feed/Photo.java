package io.shardedid.spring.feed;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

/** Lives in the shard of its author. */
@Entity
public class Photo {

    @Id
    @ShardedId(shardKey = "author")
    private Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    private Author author;

    private String caption;

    protected Photo() {
    }

    public Photo(Author author, String caption) {
        this.author = author;
        this.caption = caption;
    }

    public Long getId() {
        return this.id;
    }

    public String getCaption() {
        return this.caption;
    }

}
