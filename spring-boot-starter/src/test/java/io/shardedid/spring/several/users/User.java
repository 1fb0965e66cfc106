package io.shardedid.spring.several.users;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Lives in the one database. */
@Entity
@Table(name = "users")
public class User {

    @Id
    @ShardedId
    private Long id;

    public Long getId() {
        return this.id;
    }

}
