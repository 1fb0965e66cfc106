package io.shardedid.spring.several.photos;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Lives in the other database, in the shard of a user whom it knows by the id alone. */
@Entity
@Table(name = "photos")
public class Photo {

    @Id
    @ShardedId(colocateWith = "userId")
    private Long id;

    private long userId;

    protected Photo() {
    }

    public Photo(long userId) {
        this.userId = userId;
    }

    public Long getId() {
        return this.id;
    }

}
