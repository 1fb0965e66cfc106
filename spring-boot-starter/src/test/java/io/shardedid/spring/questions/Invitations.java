package io.shardedid.spring.questions;

import java.util.Optional;
import java.util.UUID;

import org.springframework.data.jpa.repository.JpaRepository;

interface Invitations extends JpaRepository<Invitation, Long> {

    Optional<Invitation> findByPublicId(UUID publicId);

}
