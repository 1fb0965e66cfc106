package io.shardedid.sample.user;

import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.jackson.JsonShardedId;

/**
 * A user as pages and JSON show it.
 *
 * @param id the id; a string in JSON
 * @param name the name
 * @param shard the shard in which the user lives, read from the id
 * @param joined when the user signed up, read from the id
 */
public record UserView(@JsonShardedId long id, String name, int shard, Instant joined) {

    public static UserView of(User user, IdLayout layout) {
        long id = user.getId();
        return new UserView(id, user.getName(), layout.shardOf(id), layout.instantOf(id));
    }

    public String initial() {
        return this.name.substring(0, this.name.offsetByCodePoints(0, 1));
    }

    /**
     * Returns the colour of the shard, so that what lives together looks alike.
     * @return a hue in degrees; golden-angle steps keep neighbours apart
     */
    public int hue() {
        return (int) (this.shard * 137.508 % 360);
    }

}
