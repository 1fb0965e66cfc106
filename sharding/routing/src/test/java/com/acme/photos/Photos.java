package com.acme.photos;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.shardedid.routing.ShardKey;
import io.shardedid.routing.ShardOf;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

public interface Photos extends JpaRepository<Photo, Long> {

    List<Photo> findByUserIdOrderByIdDesc(long userId);

    List<Photo> findByCaption(String caption);

    Optional<Photo> findByIdAndCaption(Long id, String caption);

    List<Photo> findTop20ByOrderByIdDesc();

    List<Photo> findTop20ByIdLessThanOrderByIdDesc(long before);

    List<Photo> findTop3ByIdLessThanOrderByIdDesc(long before);

    @Query("from Photo p where p.userId = :user and p.caption like :text")
    List<Photo> search(@ShardKey long user, String text);

    @Query("from Photo p where p.userId in :users and p.caption like :text")
    List<Photo> ofUsers(@ShardKey Collection<Long> users, String text);

    @Query("select c.text from Comment c join c.photo p where p.id = :photo")
    List<String> comments(@ShardOf long photo);

    @Query("select c.text from Comment c where c.photo = :photo")
    List<String> commentsOf(@ShardOf Photo photo);

    @Query("select p.caption from #{#entityName} p where ?1 = p.id")
    List<String> captionOf(long id);

    @Modifying
    @Transactional
    @Query("update Photo p set p.caption = :caption where p.userId = :user")
    int renameAll(@ShardKey long user, String caption);

    @Modifying
    @Transactional
    @Query("update Photo p set p.caption = :caption")
    int renameAll(String caption);

}
