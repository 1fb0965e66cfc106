package io.shardedid.sample.photo;

import java.util.Objects;

import io.shardedid.ShardedId;
import io.shardedid.sample.user.User;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A published photo. It lives in the shard of its author. There is no column for its
 * time: the id has it, and the primary key's index sorts by it.
 */
@Entity
@Table(name = "photo", indexes = @Index(columnList = "author_id, id"))
public class Photo {

    /** The longest caption, in characters. */
    public static final int CAPTION_LENGTH = 200;

    @Id
    @ShardedId(shardKey = "author")
    private @Nullable Long id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    private User author;

    @Column(nullable = false, length = CAPTION_LENGTH)
    private String caption;

    private int width;

    private int height;

    @SuppressWarnings("NullAway.Init")
    protected Photo() {
    }

    public Photo(User author, String caption, int width, int height) {
        this.author = author;
        this.caption = caption;
        this.width = width;
        this.height = height;
    }

    public long getId() {
        return Objects.requireNonNull(this.id, "a photo has an id once it is persisted");
    }

    public User getAuthor() {
        return this.author;
    }

    public String getCaption() {
        return this.caption;
    }

    public int getWidth() {
        return this.width;
    }

    public int getHeight() {
        return this.height;
    }

}
