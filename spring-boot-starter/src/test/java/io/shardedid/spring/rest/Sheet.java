package io.shardedid.spring.rest;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

@Entity
@PublicId(prefix = "she_", form = PublicIdForm.CROCKFORD)
public class Sheet {

    @Id
    @ShardedId(shardKey = "album")
    private Long id;

    @ManyToOne
    private Album album;

    public Long getId() {
        return this.id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public Album getAlbum() {
        return this.album;
    }

    public void setAlbum(Album album) {
        this.album = album;
    }

}
