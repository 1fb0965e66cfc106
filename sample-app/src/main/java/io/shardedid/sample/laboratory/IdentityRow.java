package io.shardedid.sample.laboratory;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A row whose id the database makes during the insert, so that Hibernate cannot batch.
 */
@Entity
@Table(name = "storm_identity")
class IdentityRow extends StormRow {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    protected IdentityRow() {
    }

    IdentityRow(long author) {
        super(author);
    }

}
