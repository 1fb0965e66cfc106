package io.shardedid.sample.laboratory;

import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A row with a random UUID: made here as well, and scattered all over the index.
 */
@Entity
@Table(name = "storm_uuid")
class RandomRow extends StormRow {

    @Id
    @GeneratedValue(strategy = GenerationType.UUID)
    private @Nullable UUID id;

    protected RandomRow() {
    }

    RandomRow(long author) {
        super(author);
    }

}
