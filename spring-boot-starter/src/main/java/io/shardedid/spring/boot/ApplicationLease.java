package io.shardedid.spring.boot;

import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.hibernate.LeaseEnvironment;
import io.shardedid.worker.LeaseConnections;
import io.shardedid.worker.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * How the keeper of the lease reaches the application's database: by a data source that
 * is marked for it, by a connection of its own to where the application's data source
 * leads, or, where that cannot be found out, by connections borrowed from it.
 */
final class ApplicationLease implements Supplier<LeaseEnvironment> {

    private final @Nullable DataSource marked;

    private final @Nullable DataSource application;

    private final Environment environment;

    private final List<WorkerLeaseListener> listeners;

    ApplicationLease(@Nullable DataSource marked, @Nullable DataSource application, Environment environment,
            List<WorkerLeaseListener> listeners) {
        this.marked = marked;
        this.application = application;
        this.environment = environment;
        this.listeners = listeners;
    }

    @Override
    public LeaseEnvironment get() {
        String schema = this.environment.getProperty("spring.jpa.hibernate.ddl-auto",
                this.environment.getProperty("spring.jpa.properties.hibernate.hbm2ddl.auto", "none"));
        boolean makesSchema = schema.startsWith("create") || schema.equals("update");
        return new LeaseEnvironment(connections(), makesSchema,
                this.environment.getProperty("spring.application.name", ""), this.listeners);
    }

    private @Nullable LeaseConnections connections() {
        if (this.marked != null) {
            return LeaseConnections.own(this.marked);
        }
        return (this.application != null) ? connections(this.application) : null;
    }

    static LeaseConnections connections(DataSource application) {
        SimpleDriverDataSource derived = derived(application);
        String url = (derived != null) ? derived.getUrl() : null;
        return (derived != null && url != null)
                ? LeaseConnections.url(url, derived.getUsername(), derived.getPassword())
                : LeaseConnections.borrowed(application);
    }

    /** A pool of a kind that Spring Boot does not know tells nobody where it leads. */
    private static @Nullable SimpleDriverDataSource derived(DataSource application) {
        try {
            return DataSourceBuilder.derivedFrom(application).type(SimpleDriverDataSource.class).build();
        }
        catch (RuntimeException ex) {
            return null;
        }
    }

}
