package io.shardedid.spring.forms;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.jackson.JsonShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Its ids are sealed, and those of its owner are not. */
@Entity
@PublicId(prefix = "sna_", form = PublicIdForm.SEALED)
public class Snapshot {

    @Id
    @ShardedId(shardKey = "owner")
    private Long id;

    @JsonShardedId(Owner.class)
    private long owner;

    public Long getId() {
        return this.id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public long getOwner() {
        return this.owner;
    }

    public void setOwner(long owner) {
        this.owner = owner;
    }

}
