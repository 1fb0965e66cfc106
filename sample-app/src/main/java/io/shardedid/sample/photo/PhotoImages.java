package io.shardedid.sample.photo;

import java.util.Optional;

import org.springframework.data.repository.Repository;

/**
 * The stored images. Each query reads one of the two columns of bytes.
 */
interface PhotoImages extends Repository<PhotoImage, Long> {

    PhotoImage save(PhotoImage image);

    Optional<StoredImage> findOriginalByPhotoId(long id);

    Optional<StoredThumbnail> findThumbnailByPhotoId(long id);

}
