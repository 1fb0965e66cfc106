package io.shardedid.spring.several.photos;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Photos extends JpaRepository<Photo, Long> {

    List<Photo> findByUserId(long userId);

}
