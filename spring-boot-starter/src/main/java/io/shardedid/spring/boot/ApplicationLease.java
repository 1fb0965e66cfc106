package io.shardedid.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.LeaseEnvironment;
import io.shardedid.worker.WorkerLeaseListener;
import io.shardedid.worker.table.LeaseConnections;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * How the keeper of the lease reaches the application's database: by a data source that
 * is marked for it, by a connection of its own to where the application's data source
 * leads, or, where that cannot be found out, by connections borrowed from it.
 */
final class ApplicationLease implements Supplier<LeaseEnvironment> {

    private final @Nullable DataSource marked;

    private final @Nullable DataSource application;

    /** What the rows of the application may go to beside that. */
    private final List<DataSource> databases;

    private final Environment environment;

    private final List<WorkerLeaseListener> listeners;

    private final List<Object> clients;

    private final boolean awaitTable;

    ApplicationLease(@Nullable DataSource marked, @Nullable DataSource application, List<DataSource> databases,
            Environment environment, List<WorkerLeaseListener> listeners, List<Object> clients, boolean awaitTable) {
        this.marked = marked;
        this.application = application;
        this.databases = databases;
        this.environment = environment;
        this.listeners = listeners;
        this.clients = clients;
        this.awaitTable = awaitTable;
    }

    @Override
    public LeaseEnvironment get() {
        String schema = this.environment.getProperty("spring.jpa.hibernate.ddl-auto",
                this.environment.getProperty("spring.jpa.properties.hibernate.hbm2ddl.auto", "none"));
        boolean makesSchema = schema.startsWith("create") || schema.equals("update");
        LeaseConnections connections = connections();
        return new LeaseEnvironment(connections, makesSchema,
                this.environment.getProperty("spring.application.name", ""), this.listeners, databases(connections),
                this.clients, this.awaitTable);
    }

    private @Nullable LeaseConnections connections() {
        if (this.marked != null) {
            return LeaseConnections.own(this.marked);
        }
        return (this.application != null) ? connections(this.application) : null;
    }

    /** Where the rows go; the keeper need not ask where it goes there itself. */
    private List<LeaseConnections> databases(@Nullable LeaseConnections connections) {
        if (this.marked == null && connections != null) {
            return List.of(connections);
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

    static LeaseConnections connections(DataSource application) {
        DataSource target = defaultOf(application);
        SimpleDriverDataSource derived = derived(target);
        String url = (derived != null) ? derived.getUrl() : null;
        if (derived != null && url != null) {
            return LeaseConnections.url(url, derived.getUsername(), derived.getPassword());
        }
        LeaseConnections borrowed = LeaseConnections.borrowed(target);
        return (target instanceof AbstractRoutingDataSource) ? new Routed(borrowed) : borrowed;
    }

    /**
     * The thread of the keeper is in no transaction by which a router could choose, so
     * the default of a router stands for it, and a router without one for whatever puts
     * off its choice.
     */
    private static DataSource defaultOf(DataSource application) {
        try {
            if (!application.isWrapperFor(AbstractRoutingDataSource.class)) {
                return application;
            }
            AbstractRoutingDataSource router = application.unwrap(AbstractRoutingDataSource.class);
            DataSource known = router.getResolvedDefaultDataSource();
            return (known != null) ? known : router;
        }
        catch (SQLException | RuntimeException ex) {
            return application;
        }
    }

    /**
     * Connections of a router without a default, which may still choose one by itself.
     *
     * @param borrowed the connections
     */
    private record Routed(LeaseConnections borrowed) implements LeaseConnections {

        @Override
        public Connection open(Duration timeout) throws SQLException {
            try {
                return this.borrowed.open(timeout);
            }
            catch (IllegalStateException ex) {
                throw new ShardedIdConfigurationException(
                        ("Could not lease a worker id: connection=%s (%s; the router has no default, and the lease is "
                                + "kept outside of all transactions by which it could choose); mark one data source "
                                + "with '@ShardedIdDataSource'")
                            .formatted(describe(), ex.getMessage()),
                        ex);
            }
        }

        @Override
        public boolean keep() {
            return this.borrowed.keep();
        }

        @Override
        public String describe() {
            return this.borrowed.describe();
        }

    }

    /** A pool of a kind that Spring Boot does not know does not show where it leads. */
    private static @Nullable SimpleDriverDataSource derived(DataSource application) {
        try {
            return DataSourceBuilder.derivedFrom(application).type(SimpleDriverDataSource.class).build();
        }
        catch (RuntimeException ex) {
            return null;
        }
    }

}
