package com.acme.photos;

import java.util.List;
import java.util.Set;

import io.shardedid.routing.ShardKey;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

public interface Comments extends JpaRepository<Comment, Long> {

    @Query("select c.text from Comment c where c.photo.id = :photo")
    List<String> texts(@ShardKey long photo);

    @Query("select c.text from Comment c where c.photo.id in :photos")
    List<String> textsOf(@ShardKey Set<Long> photos);

    List<Comment> findByPhotoIdIn(List<Long> photos);

    List<Comment> findByPhotoIn(List<Photo> photos);

    long countByPhotoIdIn(Set<Long> photos);

    List<Comment> findByPhotoId(long photo);

    List<Comment> findByPhoto(Photo photo);

    List<Comment> findByPhotoUserId(long user);

    List<Comment> findByPhotoIdOrText(long photo, String text);

}
