package io.shardedid.spring.boot;

import java.util.List;

import javax.sql.DataSource;

import io.shardedid.hibernate.LeaseEnvironment;
import io.shardedid.worker.LeaseConnections;
import io.shardedid.worker.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * How the keeper of the lease reaches the application's database: by a data source that
 * is marked for it, by a connection of its own to where the application's data source
 * leads, or, where that cannot be found out, by connections borrowed from it.
 */
final class ApplicationLease {

    private final ObjectProvider<DataSource> dataSources;

    private final ObjectProvider<DataSource> own;

    private final Environment environment;

    ApplicationLease(ObjectProvider<DataSource> dataSources, ObjectProvider<DataSource> own, Environment environment) {
        this.dataSources = dataSources;
        this.own = own;
        this.environment = environment;
    }

    LeaseEnvironment environment(List<WorkerLeaseListener> listeners) {
        String schema = this.environment.getProperty("spring.jpa.hibernate.ddl-auto",
                this.environment.getProperty("spring.jpa.properties.hibernate.hbm2ddl.auto", "none"));
        boolean makesSchema = schema.startsWith("create") || schema.equals("update");
        return new LeaseEnvironment(connections(), makesSchema,
                this.environment.getProperty("spring.application.name", ""), listeners);
    }

    private @Nullable LeaseConnections connections() {
        DataSource marked = this.own.getIfAvailable();
        if (marked != null) {
            return LeaseConnections.own(marked);
        }
        DataSource application = this.dataSources.getIfUnique();
        return (application != null) ? connections(application) : null;
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
