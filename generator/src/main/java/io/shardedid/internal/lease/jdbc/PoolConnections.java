package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;

import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import com.zaxxer.hikari.util.PropertyElf;
import com.zaxxer.hikari.util.UtilityElf;
import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Connections of the keeper's own to where a pool of HikariCP leads. The pool is asked
 * each time, as it asks itself when it connects: for the URL or the data source, its
 * properties, the user and the password of now, what it sets on each connection, and the
 * SQL by which each begins. There is no second pool.
 */
final class PoolConnections implements LeaseConnections {

    private static final boolean CREDENTIALS = isPresent("com.zaxxer.hikari.util.Credentials");

    private static final boolean PROVIDERS = isPresent("com.zaxxer.hikari.HikariCredentialsProvider");

    private final HikariDataSource pool;

    private volatile Credentials credentials = Credentials.of(null, null);

    PoolConnections(HikariDataSource pool) {
        this.pool = pool;
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, HikariDataSource.class.getClassLoader());
            return true;
        }
        catch (ClassNotFoundException ex) {
            return false;
        }
    }

    /** Returns the connections of a pool, or null if the data source leads to none. */
    static @Nullable PoolConnections of(DataSource application) {
        try {
            return application.isWrapperFor(HikariDataSource.class)
                    ? new PoolConnections(application.unwrap(HikariDataSource.class)) : null;
        }
        catch (SQLException | RuntimeException ex) {
            return null;
        }
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        if (this.pool.isReadOnly()) {
            throw new ShardedIdConfigurationException(
                    "Could not lease a worker id: connection=%s, pool='%s', read-only=true (a lease is a write)"
                        .formatted(describe(), this.pool.getPoolName()),
                    "mark a data source that writes with '@ShardedIdDataSource', or set "
                            + "'shardedid.worker.lease.url'");
        }
        LeaseLogin login = LeaseLogin.asked(this::login);
        String password = (login.password() != null) ? login.password()
                : this.pool.getDataSourceProperties().getProperty("password");
        Credentials secrets = Credentials.of(this.pool.getJdbcUrl(), password);
        this.credentials = secrets;
        return secrets.hidden(() -> open(login, timeout));
    }

    private Connection open(LeaseLogin login, Duration timeout) throws SQLException {
        DataSource source = source(login, timeout);
        Connection connection = (login.user() != null) ? source.getConnection(login.user(), login.password())
                : source.getConnection();
        boolean ready = false;
        try {
            prepare(connection, timeout);
            ready = true;
            return connection;
        }
        finally {
            if (!ready) {
                connection.close();
            }
        }
    }

    /** As the pool of this version asks. */
    private LeaseLogin login() {
        return PROVIDERS ? Since7.login(this.pool) : CREDENTIALS ? Since6.login(this.pool) : named(this.pool);
    }

    private static LeaseLogin named(HikariDataSource pool) {
        return new LeaseLogin(pool.getUsername(), pool.getPassword());
    }

    /** In the order in which the pool itself looks for what it connects by. */
    @SuppressWarnings("BanJNDI") // the name is a setting of the pool, which looks it up,
                                 // too
    private DataSource source(LeaseLogin login, Duration timeout) throws SQLException {
        DataSource given = this.pool.getDataSource();
        String type = this.pool.getDataSourceClassName();
        String url = this.pool.getJdbcUrl();
        if (given != null) {
            return given;
        }
        if (type != null) {
            DataSource made = UtilityElf.createInstance(type, DataSource.class, new Object[0]);
            PropertyElf.setTargetFromProperties(made, this.pool.getDataSourceProperties());
            made.setLoginTimeout((int) timeout.plusMillis(999).toSeconds());
            return made;
        }
        if (url != null) {
            // what the pool sets comes first, like the parameters of a URL
            Properties properties = LeaseConnections.timeouts(url, timeout);
            properties.putAll(this.pool.getDataSourceProperties());
            return new DriverDataSource(url, this.pool.getDriverClassName(), properties, login.user(),
                    login.password());
        }
        try {
            return (DataSource) new InitialContext().lookup(this.pool.getDataSourceJNDI());
        }
        catch (NamingException ex) {
            throw new SQLException("No data source of the name " + this.pool.getDataSourceJNDI(), "08001", ex);
        }
    }

    /** As the pool does, but for what the keeper sets itself. */
    private void prepare(Connection connection, Duration timeout) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(timeout.toMillis()));
        }
        catch (SQLFeatureNotSupportedException ex) {
            // then the keeper's own limit must do
        }
        if (this.pool.getCatalog() != null) {
            connection.setCatalog(this.pool.getCatalog());
        }
        if (this.pool.getSchema() != null) {
            connection.setSchema(this.pool.getSchema());
        }
        String sql = this.pool.getConnectionInitSql();
        if (sql != null) {
            try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout((int) timeout.plusMillis(999).toSeconds());
                statement.execute(sql);
            }
        }
    }

    @Override
    public boolean keep() {
        return true;
    }

    @Override
    public @Nullable String typedUrl() {
        return this.pool.getJdbcUrl();
    }

    @Override
    public Credentials credentials() {
        return this.credentials;
    }

    @Override
    public String describe() {
        String url = this.pool.getJdbcUrl();
        String type = this.pool.getDataSourceClassName();
        DataSource given = this.pool.getDataSource();
        return (url != null) ? Credentials.describe(url)
                : "own " + ((given != null) ? given.getClass().getName() : (type != null) ? type : "data source");
    }

    /** HikariCP 6 has user and password in one. */
    private static final class Since6 {

        static LeaseLogin login(HikariDataSource pool) {
            // the pool reads the getters of old only where it is told so
            return Boolean.getBoolean("com.zaxxer.hikari.legacy.supportUserPassDataSourceOverride") ? named(pool)
                    : of(pool.getCredentials());
        }

        static LeaseLogin of(com.zaxxer.hikari.util.Credentials credentials) {
            return new LeaseLogin(credentials.getUsername(), credentials.getPassword());
        }

    }

    /** HikariCP 7 has providers of them. */
    private static final class Since7 {

        static LeaseLogin login(HikariDataSource pool) {
            HikariCredentialsProvider provider = pool.getCredentialsProvider();
            return (provider != null) ? Since6.of(provider.getCredentials()) : Since6.login(pool);
        }

    }

}
