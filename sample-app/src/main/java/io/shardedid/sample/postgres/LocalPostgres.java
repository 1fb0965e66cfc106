package io.shardedid.sample.postgres;

import java.util.Map;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * The server of the profile {@code postgres}.
 */
@Component
@Profile("postgres")
public class LocalPostgres implements JdbcConnectionDetails, AutoCloseable {

    private final PostgresServer server = PostgresServer.start(Map.of());

    @Override
    public String getJdbcUrl() {
        return this.server.url();
    }

    @Override
    public String getUsername() {
        return PostgresServer.USER;
    }

    @Override
    public String getPassword() {
        return PostgresServer.USER;
    }

    public PostgresServer server() {
        return this.server;
    }

    @Override
    public void close() {
        this.server.close();
    }

}
