package io.shardedid.sample.like;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.NativeQuery;
import org.springframework.data.repository.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The likes in the database. Nobody else keeps them, so SQL may go past Hibernate.
 */
interface Likes extends Repository<Like, Long> {

    Like save(Like like);

    boolean existsByPhotoIdAndUserId(long photo, long user);

    @Modifying
    @Transactional
    @NativeQuery("delete from photo_like where photo_id = :photo and user_id = :user")
    int delete(long photo, long user);

    /** A photo without likes has no row. */
    @NativeQuery("select photo_id as photo, count(*) as likes from photo_like where photo_id in (:photos) group by photo_id")
    List<LikeCount> count(Collection<Long> photos);

    @NativeQuery("select photo_id from photo_like where user_id = :user and photo_id in (:photos)")
    Set<Long> findLiked(long user, Collection<Long> photos);

}
