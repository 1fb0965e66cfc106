package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

/**
 * A child for {@link EnhancedReferenceTest}.
 */
@Entity(name = "EnhancedPhoto")
public class EnhancedPhoto implements EnhancedRow {

    @Id
    @ShardedId(shardKey = "author")
    Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    EnhancedUser author;

    public EnhancedPhoto() {
    }

    @Override
    public Long id() {
        return this.id;
    }

    @Override
    public void setOwner(Object owner) {
        this.author = (EnhancedUser) owner;
    }

}
