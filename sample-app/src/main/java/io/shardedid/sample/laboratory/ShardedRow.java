package io.shardedid.sample.laboratory;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A row with the ids of this sample: made here, before the insert, in the author's shard.
 */
@Entity
@Table(name = "storm_sharded")
class ShardedRow extends StormRow {

    @Id
    @ShardedId(shardKey = "author")
    private @Nullable Long id;

    protected ShardedRow() {
    }

    ShardedRow(long author) {
        super(author);
    }

}
