package io.shardedid.internal.lease.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * The user and the password by which the lease thread connects.
 *
 * @param user the user, or null if the URL names it
 * @param password the password, or null
 * @since 0.1
 */
public record LeaseLogin(@Nullable String user, @Nullable String password) {

    /** Without the password. */
    @Override
    public String toString() {
        return "LeaseLogin[user=%s]".formatted(this.user);
    }

}
