package io.shardedid.spring.questions;

import java.util.UUID;

import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Is known outside by an id that tells nothing. */
@Entity
class Invitation {

    @Id
    @ShardedId
    private Long id;

    @Column(nullable = false, unique = true, updatable = false)
    private UUID publicId = UUID.randomUUID();

    UUID getPublicId() {
        return this.publicId;
    }

}
