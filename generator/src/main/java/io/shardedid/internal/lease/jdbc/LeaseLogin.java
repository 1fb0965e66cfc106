package io.shardedid.internal.lease.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The user and the password by which the lease thread connects.
 *
 * @param user the user, or null if the URL names it
 * @param password the password, or null
 * @since 0.1
 */
public record LeaseLogin(@Nullable String user, @Nullable String password) {

    /**
     * Asks for the login of now.
     * @param logins what knows it
     * @return the login
     * @throws SQLException if it cannot be had now; trying again may help
     */
    public static LeaseLogin asked(Supplier<LeaseLogin> logins) throws SQLException {
        try {
            return Objects.requireNonNull(logins.get(), "the login is null");
        }
        catch (RuntimeException ex) {
            throw new SQLTransientException("Could not learn the user and the password for the lease table: " + ex, ex);
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "LeaseLogin[user=%s]".formatted(this.user);
    }

}
