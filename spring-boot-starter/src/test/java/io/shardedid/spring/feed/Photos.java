package io.shardedid.spring.feed;

import java.util.List;

import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.Window;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;

public interface Photos extends JpaRepository<Photo, Long>, JpaSpecificationExecutor<Photo> {

    List<Photo> findAllByOrderByIdDesc();

    List<Photo> findByIdBetween(long firstId, long lastId);

    Window<Photo> findFirst20ByAuthorOrderByIdDesc(Author author, ScrollPosition position);

}
