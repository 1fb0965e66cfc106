package io.shardedid.sample.photo;

import java.util.List;
import java.util.Optional;

import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.repository.Repository;

/**
 * The photos in the database, newest first, which is by id.
 */
public interface Photos extends Repository<Photo, Long> {

    Photo save(Photo photo);

    boolean existsById(long id);

    @EntityGraph(attributePaths = "author")
    Optional<Photo> findById(long id);

    @EntityGraph(attributePaths = "author")
    List<Photo> findByIdGreaterThanEqualAndIdLessThanOrderByIdDesc(long first, long before, Limit limit);

    @EntityGraph(attributePaths = "author")
    List<Photo> findByAuthorIdAndIdLessThanOrderByIdDesc(long author, long before, Limit limit);

    long countByAuthorId(long author);

    default List<Photo> findNewest(long first, long before, Limit limit) {
        return findByIdGreaterThanEqualAndIdLessThanOrderByIdDesc(first, before, limit);
    }

    default List<Photo> findNewestOf(long author, long before, Limit limit) {
        return findByAuthorIdAndIdLessThanOrderByIdDesc(author, before, limit);
    }

    default long countOf(long author) {
        return countByAuthorId(author);
    }

}
