package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;

import javax.sql.DataSource;

import io.shardedid.internal.lease.jdbc.Credentials;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * Connections of the keeper's own to where a data source leads that shows its URL, user
 * and password to Spring Boot. They are read each time that the keeper connects. One of
 * Spring's own also shows its properties, catalog and schema.
 */
final class DerivedConnections implements LeaseConnections {

    private final DataSource application;

    private final String url;

    private volatile Credentials credentials;

    private DerivedConnections(DataSource application, String url) {
        this.application = application;
        this.url = url;
        this.credentials = Credentials.of(url, null);
    }

    /** A pool of a kind that Spring Boot does not know does not show where it leads. */
    static @Nullable DerivedConnections of(DataSource application) {
        try {
            String url = derived(application).getUrl();
            return (url != null) ? new DerivedConnections(application, url) : null;
        }
        catch (RuntimeException ex) {
            return null;
        }
    }

    private static SimpleDriverDataSource derived(DataSource application) {
        return DataSourceBuilder.derivedFrom(application).type(SimpleDriverDataSource.class).build();
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        SimpleDriverDataSource now = derived(this.application);
        String address = Objects.requireNonNullElse(now.getUrl(), this.url);
        LeaseLogin login = LeaseLogin.asked(() -> new LeaseLogin(now.getUsername(), now.getPassword()));
        Credentials secrets = Credentials.of(address, login.password());
        this.credentials = secrets;
        Properties properties = LeaseConnections.timeouts(address, timeout);
        AbstractDriverBasedDataSource plain = plain();
        if (plain != null && plain.getConnectionProperties() != null) {
            properties.putAll(plain.getConnectionProperties());
        }
        if (login.user() != null) {
            properties.setProperty("user", login.user());
        }
        if (login.password() != null) {
            properties.setProperty("password", login.password());
        }
        Driver driver = now.getDriver();
        return secrets.hidden(() -> placed((driver != null) ? driver.connect(address, properties)
                : DriverManager.getConnection(address, properties), address, plain));
    }

    /** One that shows all that it connects by, or null. */
    private @Nullable AbstractDriverBasedDataSource plain() {
        return DataSourceUnwrapper.unwrap(this.application, AbstractDriverBasedDataSource.class);
    }

    private static Connection placed(@Nullable Connection connection, String address,
            @Nullable AbstractDriverBasedDataSource plain) throws SQLException {
        if (connection == null) {
            throw new SQLException("No suitable driver found for " + address, "08001");
        }
        if (plain != null && plain.getCatalog() != null) {
            connection.setCatalog(plain.getCatalog());
        }
        if (plain != null && plain.getSchema() != null) {
            connection.setSchema(plain.getSchema());
        }
        return connection;
    }

    @Override
    public boolean keep() {
        return true;
    }

    @Override
    public String typedUrl() {
        return this.url;
    }

    @Override
    public Credentials credentials() {
        return this.credentials;
    }

    /** A pool of another kind may have more, which only its owner knows. */
    @Override
    public String describe() {
        String place = Credentials.describe(this.url);
        return (plain() != null) ? place
                : ("%s by the URL, the user and the password of %s alone (mark it with '@ShardedIdDataSource' if it "
                        + "connects by more)")
                    .formatted(place, this.application.getClass().getName());
    }

}
