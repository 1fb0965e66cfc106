package com.acme.photos;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Photos extends JpaRepository<Photo, Long> {

    List<Photo> findByUserIdOrderByIdDesc(long userId);

}
