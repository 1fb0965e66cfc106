package io.shardedid.internal.lease.jdbc;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * A kind of data source whose connections all lead to one database: a pool, what a driver
 * brings, or one of Spring's. Whatever else may choose a database for each connection.
 *
 * @param type the name of its class or interface
 * @param setting the setting of a pool that limits its connections, or null if it is none
 * @param getter how that limit is read, or null if it is not
 */
record KnownDataSource(String type, @Nullable String setting, @Nullable String getter) {

    private static final List<KnownDataSource> ALL = List.of(
            pool("org.apache.tomcat.jdbc.pool.DataSourceProxy", "maxActive", "getMaxActive"),
            pool("org.apache.commons.dbcp2.BasicDataSource", "maxTotal", "getMaxTotal"),
            // no place of it is held, since it makes a twin
            pool("io.agroal.api.AgroalDataSource", "maxSize", null),
            pool("oracle.ucp.jdbc.PoolDataSource", "maxPoolSize", "getMaxPoolSize"),
            pool("com.mchange.v2.c3p0.AbstractComboPooledDataSource", "maxPoolSize", "getMaxPoolSize"),
            plain("org.springframework.jdbc.datasource.DriverManagerDataSource"),
            plain("org.springframework.jdbc.datasource.SimpleDriverDataSource"),
            pool("org.jboss.as.connector.subsystems.datasources.WildFlyDataSource", "max-pool-size", null),
            plain("org.postgresql.ds.common.BaseDataSource"), plain("org.mariadb.jdbc.MariaDbDataSource"),
            pool("org.mariadb.jdbc.MariaDbPoolDataSource", "maxPoolSize", null),
            plain("com.mysql.cj.jdbc.MysqlDataSource"), plain("org.h2.jdbcx.JdbcDataSource"),
            pool("org.h2.jdbcx.JdbcConnectionPool", "maxConnections", "getMaxConnections"),
            plain("org.hsqldb.jdbc.JDBCDataSource"), pool("org.hsqldb.jdbc.JDBCPool", "size", null),
            plain("oracle.jdbc.datasource.OracleDataSource"),
            plain("com.microsoft.sqlserver.jdbc.ISQLServerDataSource"), plain("com.ibm.db2.jcc.DB2BaseDataSource"));

    /** Unwraps to the pool that its thread would use now. */
    private static final KnownDataSource ROUTER = plain(
            "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource");

    private static KnownDataSource pool(String type, String setting, @Nullable String getter) {
        return new KnownDataSource(type, setting, getter);
    }

    private static KnownDataSource plain(String type) {
        return new KnownDataSource(type, null, null);
    }

    static boolean isRouter(DataSource dataSource) {
        return ROUTER.find(dataSource) != null;
    }

    /** Returns the kind of a data source, or of the one that it unwraps to. */
    static Optional<KnownDataSource> of(DataSource dataSource) {
        return ALL.stream().filter((kind) -> kind.find(dataSource) != null).findFirst();
    }

    /** Returns how many connections the data source has at most, if it limits them. */
    OptionalInt size(DataSource dataSource) {
        try {
            Class<?> type = loaded(dataSource).orElse(null);
            return (type != null && this.getter != null
                    && type.getMethod(this.getter).invoke(find(dataSource)) instanceof Integer size)
                            ? OptionalInt.of(size) : OptionalInt.empty();
        }
        catch (ReflectiveOperationException ex) {
            return OptionalInt.empty();
        }
    }

    private @Nullable Object find(DataSource dataSource) {
        Class<?> type = loaded(dataSource).orElse(null);
        return (type != null) ? PoolTwin.pool(dataSource, type) : null;
    }

    private Optional<Class<?>> loaded(DataSource dataSource) {
        return Stream
            .of(dataSource.getClass().getClassLoader(), KnownDataSource.class.getClassLoader(),
                    Thread.currentThread().getContextClassLoader())
            .filter(Objects::nonNull)
            .flatMap((loader) -> loaded(loader).stream())
            .findFirst();
    }

    private Optional<Class<?>> loaded(ClassLoader loader) {
        try {
            return Optional.of(Class.forName(this.type, false, loader));
        }
        catch (ClassNotFoundException | LinkageError ex) {
            return Optional.empty();
        }
    }

}
