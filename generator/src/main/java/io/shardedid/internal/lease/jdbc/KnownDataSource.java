package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.Method;
import java.sql.SQLException;
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
 * @param getters how that limit is read; empty if it cannot be
 */
record KnownDataSource(String type, @Nullable String setting, List<String> getters) {

    private static final List<KnownDataSource> ALL = List.of(
            pool("org.apache.tomcat.jdbc.pool.DataSourceProxy", "maxActive", "getMaxActive"),
            pool("org.apache.commons.dbcp2.BasicDataSource", "maxTotal", "getMaxTotal"),
            pool("io.agroal.api.AgroalDataSource", "maxSize", "getConfiguration", "connectionPoolConfiguration",
                    "maxSize"),
            pool("oracle.ucp.jdbc.PoolDataSource", "maxPoolSize", "getMaxPoolSize"),
            pool("com.mchange.v2.c3p0.AbstractComboPooledDataSource", "maxPoolSize", "getMaxPoolSize"),
            plain("org.springframework.jdbc.datasource.DriverManagerDataSource"),
            plain("org.springframework.jdbc.datasource.SimpleDriverDataSource"),
            pool("org.jboss.as.connector.subsystems.datasources.WildFlyDataSource", "max-pool-size"),
            plain("org.postgresql.ds.common.BaseDataSource"), plain("org.mariadb.jdbc.MariaDbDataSource"),
            pool("org.mariadb.jdbc.MariaDbPoolDataSource", "maxPoolSize"), plain("com.mysql.cj.jdbc.MysqlDataSource"),
            plain("org.h2.jdbcx.JdbcDataSource"),
            pool("org.h2.jdbcx.JdbcConnectionPool", "maxConnections", "getMaxConnections"),
            plain("org.hsqldb.jdbc.JDBCDataSource"), pool("org.hsqldb.jdbc.JDBCPool", "size"),
            plain("oracle.jdbc.datasource.OracleDataSource"),
            plain("com.microsoft.sqlserver.jdbc.ISQLServerDataSource"), plain("com.ibm.db2.jcc.DB2BaseDataSource"));

    private static KnownDataSource pool(String type, String setting, String... getters) {
        return new KnownDataSource(type, setting, List.of(getters));
    }

    private static KnownDataSource plain(String type) {
        return new KnownDataSource(type, null, List.of());
    }

    /** Returns the kind of a data source, or of the one that it unwraps to. */
    static Optional<KnownDataSource> of(DataSource dataSource) {
        return ALL.stream().filter((kind) -> kind.find(dataSource) != null).findFirst();
    }

    /** Returns how many connections the data source has at most, if it limits them. */
    OptionalInt size(DataSource dataSource) {
        try {
            @Nullable Object found = find(dataSource);
            Class<?> type = loaded(dataSource).orElse(null);
            if (this.getters.isEmpty() || type == null) {
                return OptionalInt.empty();
            }
            for (String getter : this.getters) {
                Method method = Objects.requireNonNull(type).getMethod(getter);
                found = method.invoke(found);
                type = method.getReturnType();
            }
            return (found instanceof Integer size) ? OptionalInt.of(size) : OptionalInt.empty();
        }
        catch (ReflectiveOperationException ex) {
            return OptionalInt.empty();
        }
    }

    private @Nullable Object find(DataSource dataSource) {
        Class<?> type = loaded(dataSource).orElse(null);
        try {
            return (type == null) ? null : type.isInstance(dataSource) ? dataSource
                    : dataSource.isWrapperFor(type) ? dataSource.unwrap(type) : null;
        }
        catch (SQLException | RuntimeException ex) {
            return null;
        }
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
