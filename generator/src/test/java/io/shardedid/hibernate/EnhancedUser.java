package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * A parent for {@link EnhancedReferenceTest}.
 */
@Entity(name = "EnhancedUser")
public class EnhancedUser implements EnhancedRow {

    @Id
    @ShardedId
    Long id;

    String login;

    public EnhancedUser() {
    }

    @Override
    public Long id() {
        return this.id;
    }

    @Override
    public void setOwner(Object owner) {
        throw new UnsupportedOperationException();
    }

}
