package io.shardedid.sample.user;

import java.util.Objects;

import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A person who publishes and likes photos. The name chooses the shard in which the user
 * and the user's photos live. So a user's name is enough to say where all of it is, also
 * when there are several databases.
 */
@Entity
@Table(name = "app_user")
public class User {

    /** The longest name, in characters. */
    public static final int NAME_LENGTH = 40;

    @Id
    @ShardedId(shardKey = "name")
    private @Nullable Long id;

    @Column(nullable = false, unique = true, length = NAME_LENGTH)
    private String name;

    @SuppressWarnings("NullAway.Init")
    protected User() {
    }

    public User(String name) {
        this.name = name;
    }

    public long getId() {
        return Objects.requireNonNull(this.id, "a user has an id once it is persisted");
    }

    public String getName() {
        return this.name;
    }

}
