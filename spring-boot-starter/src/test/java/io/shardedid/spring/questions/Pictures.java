package io.shardedid.spring.questions;

import java.util.Optional;
import java.util.UUID;

import org.springframework.data.jpa.repository.JpaRepository;

interface Pictures extends JpaRepository<Picture, Long> {

    Optional<Picture> findByPublicId(UUID publicId);

}
