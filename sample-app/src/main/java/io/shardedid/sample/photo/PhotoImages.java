package io.shardedid.sample.photo;

import java.util.Optional;

import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/**
 * The stored images. Each query reads one of the two columns of bytes.
 */
interface PhotoImages extends Repository<PhotoImage, Long> {

    PhotoImage save(PhotoImage image);

    @Query("select new io.shardedid.sample.photo.StoredImage(i.mediaType, i.original) from PhotoImage i where i.photoId = :id")
    Optional<StoredImage> findOriginal(long id);

    @Query("select i.thumbnail from PhotoImage i where i.photoId = :id")
    Optional<byte[]> findThumbnail(long id);

}
