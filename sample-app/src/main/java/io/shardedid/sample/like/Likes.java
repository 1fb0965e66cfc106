package io.shardedid.sample.like;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The likes in the database.
 */
interface Likes extends Repository<Like, Long> {

    Like save(Like like);

    boolean existsByPhotoIdAndUserId(long photo, long user);

    @Modifying
    @Transactional
    @Query("delete from Like l where l.photo.id = :photo and l.user.id = :user")
    int delete(long photo, long user);

    @Query("""
            select new io.shardedid.sample.like.LikeCount(l.photo.id, count(l)) from Like l
            where l.photo.id in :photos group by l.photo.id""")
    List<LikeCount> count(Collection<Long> photos);

    @Query("select l.photo.id from Like l where l.user.id = :user and l.photo.id in :photos")
    Set<Long> findLiked(long user, Collection<Long> photos);

}
