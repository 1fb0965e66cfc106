package io.shardedid.sample.like;

import io.shardedid.ShardedId;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.user.User;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import jakarta.persistence.UniqueConstraint;
import org.jspecify.annotations.Nullable;

/**
 * One user's like of one photo. It lives in the photo's shard, so that likes are counted
 * where the photo is.
 */
@Entity
@Table(name = "photo_like", uniqueConstraints = @UniqueConstraint(columnNames = { "photo_id", "user_id" }))
public class Like {

    @Id
    @ShardedId(shardKey = "photo")
    private @Nullable Long id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "photo_id")
    private Photo photo;

    /** An id and no association: a user may live in another shard than the photo. */
    @Column(nullable = false)
    private long userId;

    @SuppressWarnings("NullAway.Init")
    protected Like() {
    }

    public Like(Photo photo, User user) {
        this.photo = photo;
        this.userId = user.getId();
    }

}
