package io.shardedid.sample.photo;

import java.util.List;
import java.util.Optional;

import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/**
 * The photos in the database, newest first, which is by id.
 */
public interface Photos extends Repository<Photo, Long> {

    Photo save(Photo photo);

    boolean existsById(long id);

    @Query("select p from Photo p join fetch p.author where p.id = :id")
    Optional<Photo> findById(long id);

    @Query("select p from Photo p join fetch p.author where p.id >= :first and p.id < :before order by p.id desc")
    List<Photo> findNewest(long first, long before, Limit limit);

    @Query("""
            select p from Photo p join fetch p.author
            where p.author.id = :author and p.id < :before order by p.id desc""")
    List<Photo> findNewestOf(long author, long before, Limit limit);

    @Query("select count(p) from Photo p where p.author.id = :author")
    long countOf(long author);

}
