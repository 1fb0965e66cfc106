package io.shardedid.sample.photo;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a photo, in a table of their own, so that no list of photos reads them.
 * Shares the photo's id, and with it its shard.
 */
@Entity
@Table(name = "photo_image")
public class PhotoImage {

    private static final int MAX_BYTES = 1024 * 1024;

    @Id
    private @Nullable Long photoId;

    @MapsId
    @OneToOne(fetch = FetchType.LAZY, optional = false)
    private Photo photo;

    @Column(nullable = false, length = MAX_BYTES)
    private byte[] jpeg;

    @SuppressWarnings("NullAway.Init")
    protected PhotoImage() {
    }

    public PhotoImage(Photo photo, Picture picture) {
        this.photo = photo;
        this.jpeg = picture.jpeg();
    }

    byte[] getJpeg() {
        return this.jpeg;
    }

}
