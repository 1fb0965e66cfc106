package com.acme.photos;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Photos extends JpaRepository<Photo, Long> {

}
