package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.LeaseEnvironment;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/**
 * How the keeper of the lease reaches the application's database: by a data source that
 * is marked for it, by a connection of its own to where the application's data source
 * leads, or, where that cannot be found out, by connections borrowed from it.
 */
final class ApplicationLease implements Supplier<LeaseEnvironment> {

    private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
            ApplicationLease.class.getClassLoader());

    private final @Nullable DataSource marked;

    private final @Nullable DataSource application;

    /** What the rows of the application may go to beside that. */
    private final List<DataSource> databases;

    private final Environment environment;

    private final List<WorkerLeaseListener> listeners;

    private final boolean awaitTable;

    private final @Nullable Supplier<LeaseLogin> login;

    ApplicationLease(@Nullable DataSource marked, @Nullable DataSource application, List<DataSource> databases,
            Environment environment, List<WorkerLeaseListener> listeners, boolean awaitTable,
            @Nullable Supplier<LeaseLogin> login) {
        this.marked = marked;
        this.application = application;
        this.databases = databases;
        this.environment = environment;
        this.listeners = listeners;
        this.awaitTable = awaitTable;
        this.login = login;
    }

    @Override
    public LeaseEnvironment get() {
        String schema = this.environment.getProperty("spring.jpa.hibernate.ddl-auto",
                this.environment.getProperty("spring.jpa.properties.hibernate.hbm2ddl.auto", "none"));
        boolean makesSchema = schema.startsWith("create") || schema.equals("update");
        LeaseConnections lease = lease();
        return new LeaseEnvironment(lease, makesSchema, this.environment.getProperty("spring.application.name", ""),
                this.listeners, databases(lease), this.awaitTable, this.login);
    }

    private @Nullable LeaseConnections lease() {
        if (this.marked != null) {
            return LeaseConnections.own(this.marked);
        }
        return (this.application != null) ? lease(this.application) : null;
    }

    /** Where the rows go; the keeper need not ask where it goes there itself. */
    private List<LeaseConnections> databases(@Nullable LeaseConnections lease) {
        if (this.marked == null && this.application != null) {
            return List.of((lease != null && !(lease instanceof Routed)) ? lease : connections(this.application));
        }
        return this.databases.stream()
            .filter((each) -> each != this.marked)
            .map(ApplicationLease::connections)
            .toList();
    }

    /**
     * Whether a lease database may be one that only this process sees. Then, and only
     * then, it matters where the rows go: to ask for every data source makes them all.
     */
    static boolean mayBePrivate(@Nullable DataSource marked, @Nullable Object url) {
        if (url instanceof String text) {
            return LeaseConnections.url(text, null, null).mayBePrivate();
        }
        return marked != null && connections(marked).mayBePrivate();
    }

    /** Where the keeper takes its leases if no data source is marked. */
    static LeaseConnections lease(DataSource application) {
        DataSource target = defaultOf(application);
        if (target instanceof AbstractRoutingDataSource router) {
            return new Routed(router);
        }
        LeaseConnections found = connections(target);
        boolean several = isRouter(application);
        return found.keep() ? found.seenBy(LeaseConnections.own(several ? target : application), several) : found;
    }

    /** Where a data source leads. */
    static LeaseConnections connections(DataSource application) {
        DataSource target = defaultOf(application);
        DataSource pool = HIKARI ? Hikari.unwrapped(target) : null;
        LeaseConnections found = (pool != null) ? LeaseConnections.ofPool(pool).orElse(null)
                : DerivedConnections.of(target);
        return (found != null) ? found : LeaseConnections.borrowed(target);
    }

    private static boolean isRouter(DataSource application) {
        try {
            return application.isWrapperFor(AbstractRoutingDataSource.class);
        }
        catch (SQLException | RuntimeException ex) {
            return false;
        }
    }

    /**
     * The thread of the keeper is in no transaction by which a router could choose, so
     * the default of a router stands for it, and a router without one for whatever puts
     * off its choice.
     */
    private static DataSource defaultOf(DataSource application) {
        if (!isRouter(application)) {
            return application;
        }
        try {
            AbstractRoutingDataSource router = application.unwrap(AbstractRoutingDataSource.class);
            DataSource known = router.getResolvedDefaultDataSource();
            return (known != null) ? known : router;
        }
        catch (SQLException | RuntimeException ex) {
            return application;
        }
    }

    /** Apart, because the pool may be absent. */
    private static final class Hikari {

        static @Nullable DataSource unwrapped(DataSource application) {
            return DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class);
        }

    }

    /**
     * Connections of a router without a default. It may choose a database on the keeper's
     * thread, too, but not the same one in each process.
     *
     * @param router the router
     */
    private record Routed(AbstractRoutingDataSource router) implements LeaseConnections {

        @Override
        public Connection open(Duration timeout) throws SQLException {
            throw new ShardedIdConfigurationException(
                    ("Could not lease a worker id: data source=%s, default target=null (the router chooses a "
                            + "database for each thread, and all processes must lease from one table)")
                        .formatted(this.router.getClass().getName()),
                    "call 'setDefaultTargetDataSource' with the data source that leads to the lease table, mark "
                            + "that data source with '@ShardedIdDataSource', or set 'shardedid.worker.lease.url'");
        }

        @Override
        public boolean keep() {
            return true;
        }

        @Override
        public String describe() {
            return "router " + this.router.getClass().getName();
        }

    }

}
