package io.shardedid.sample.photo;

import java.util.Optional;

import org.springframework.data.repository.Repository;

/**
 * The stored images.
 */
interface PhotoImages extends Repository<PhotoImage, Long> {

    PhotoImage save(PhotoImage image);

    Optional<PhotoImage> findById(long id);

}
