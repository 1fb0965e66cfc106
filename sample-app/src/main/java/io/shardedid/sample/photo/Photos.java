package io.shardedid.sample.photo;

import java.util.List;
import java.util.Optional;

import io.shardedid.IdWindow;

import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.repository.Repository;

/**
 * The photos in the database, newest first, which is by id.
 */
public interface Photos extends Repository<Photo, Long> {

    Photo save(Photo photo);

    @EntityGraph(attributePaths = "author")
    Optional<Photo> findById(long id);

    @EntityGraph(attributePaths = "author")
    List<Photo> findByIdBetweenOrderByIdDesc(long first, long last, Limit limit);

    @EntityGraph(attributePaths = "author")
    List<Photo> findByAuthorIdAndIdBetweenOrderByIdDesc(long author, long first, long last, Limit limit);

    long countByAuthorId(long author);

    default List<Photo> findNewest(IdWindow window, Limit limit) {
        return findByIdBetweenOrderByIdDesc(window.firstId(), window.lastId(), limit);
    }

    default List<Photo> findNewestOf(long author, IdWindow window, Limit limit) {
        return findByAuthorIdAndIdBetweenOrderByIdDesc(author, window.firstId(), window.lastId(), limit);
    }

}
