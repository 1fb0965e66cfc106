package io.shardedid.benchmarks.routing;

import java.util.Objects;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** A row as small as rows are. */
@Entity
class Photo {

    @Id
    @ShardedId(shardKey = "userId")
    private @Nullable Long id;

    private long userId;

    private @Nullable String caption;

    protected Photo() {
    }

    Photo(long userId, String caption) {
        this.userId = userId;
        this.caption = caption;
    }

    Long getId() {
        return Objects.requireNonNull(this.id);
    }

}
