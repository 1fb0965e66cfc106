package io.shardedid.spring.questions;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;

/** Lives in the shard of its album, whose list writes the column. */
@Entity
class Page {

    @Id
    @ShardedId(shardKey = "album")
    private Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "album_id", insertable = false, updatable = false)
    Album album;

    Long getId() {
        return this.id;
    }

}
