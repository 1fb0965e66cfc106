package io.shardedid.spring.gallery;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An entity that a controller hands out as it is. */
@Entity
public class Picture {

    @Id
    @ShardedId(shardKey = "albumId")
    private Long id;

    private long albumId;

    private long views;

    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    private Long cover;

    public Long getId() {
        return this.id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public long getAlbumId() {
        return this.albumId;
    }

    public void setAlbumId(long albumId) {
        this.albumId = albumId;
    }

    public long getViews() {
        return this.views;
    }

    public Long getCover() {
        return this.cover;
    }

}
