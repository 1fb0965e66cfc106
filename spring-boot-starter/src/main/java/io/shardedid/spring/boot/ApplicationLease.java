package io.shardedid.spring.boot;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * How the keeper of the lease reaches the database: by the data source that is marked for
 * it or named, or else by the application's, if that leads to one database for certain.
 */
final class ApplicationLease implements Supplier<LeaseEnvironment> {

    private static final String KEY = ShardedIdKey.LEASE_DATA_SOURCE.externalName();

    private static final String REMEDY = "mark the 'DataSource' bean that leads to the lease table with "
            + "'@ShardedIdDataSource', name it by '" + KEY + "', or set 'shardedid.worker.lease.url'";

    private final ShardedIdSettings settings;

    private final ListableBeanFactory beans;

    private final @Nullable DataSource marked;

    private final ObjectProvider<DataSource> dataSources;

    private final Environment environment;

    private final List<WorkerLeaseListener> listeners;

    private final boolean awaitTable;

    private final @Nullable Supplier<LeaseLogin> login;

    ApplicationLease(ShardedIdSettings settings, ListableBeanFactory beans, @Nullable DataSource marked,
            ObjectProvider<DataSource> dataSources, Environment environment, List<WorkerLeaseListener> listeners,
            boolean awaitTable, @Nullable Supplier<LeaseLogin> login) {
        this.settings = settings;
        this.beans = beans;
        this.marked = marked;
        this.dataSources = dataSources;
        this.environment = environment;
        this.listeners = listeners;
        this.awaitTable = awaitTable;
        this.login = login;
    }

    @Override
    public LeaseEnvironment get() {
        DataSource chosen = chosen();
        DataSource application = (chosen != null) ? null : this.dataSources.getIfUnique();
        Object url = this.settings.get(ShardedIdKey.LEASE_URL);
        refuseWhatHasNoEffect(url != null);
        LeaseConnections lease = (chosen != null) ? LeaseConnections.of(target(chosen))
                : (url == null) ? lease(application) : null;
        return new LeaseEnvironment((lease != null || application == null) ? lease : connections(application),
                makesSchema(this.environment), this.environment.getProperty("spring.application.name", ""),
                this.listeners, databases(chosen, application, lease), this.awaitTable, this.login);
    }

    private void refuseWhatHasNoEffect(boolean url) {
        if (url && this.settings.get(ShardedIdKey.LEASE_DATA_SOURCE) != null) {
            throw new ShardedIdConfigurationException(
                    "The database of the leases must be given once: shardedid.worker.lease.url=set, %s='%s'"
                        .formatted(KEY, this.settings.get(ShardedIdKey.LEASE_DATA_SOURCE)),
                    "remove one of the keys", ShardedIdKey.LEASE_URL.externalName(), KEY);
        }
        if (!url && this.login != null) {
            throw new ShardedIdConfigurationException(
                    "A supplier of 'LeaseLogin' has no effect without 'shardedid.worker.lease.url'",
                    "set the URL of the lease database, or remove the supplier", ShardedIdKey.LEASE_URL.externalName());
        }
    }

    static boolean makesSchema(Environment environment) {
        String schema = environment.getProperty("spring.jpa.hibernate.ddl-auto",
                environment.getProperty("spring.jpa.properties.hibernate.hbm2ddl.auto", "none"));
        return schema.startsWith("create") || schema.equals("update");
    }

    /** What somebody says leads to the lease table. */
    private @Nullable DataSource chosen() {
        Object name = this.settings.get(ShardedIdKey.LEASE_DATA_SOURCE);
        if (name == null) {
            return this.marked;
        }
        try {
            return this.beans.getBean(name.toString(), DataSource.class);
        }
        catch (NoSuchBeanDefinitionException ex) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be the name of a 'DataSource' bean: %1$s='%s' (beans: %s)".formatted(KEY, name, names()),
                    "correct it", KEY);
        }
    }

    private String names() {
        return String.join(", ",
                Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, DataSource.class)));
    }

    /** Where leases are taken if nobody says so. */
    private @Nullable LeaseConnections lease(@Nullable DataSource application) {
        if (application == null && names().isEmpty()) {
            return null;
        }
        if (application == null) {
            throw new ShardedIdConfigurationException(
                    "Could not lease a worker id: which of the data sources leads to the lease table is not known (beans: %s)"
                        .formatted(names()),
                    REMEDY, KEY);
        }
        AbstractRoutingDataSource router = router(application);
        if (router == null) {
            return LeaseConnections.ofKnown(application).orElseThrow(() -> unknown(application));
        }
        if (AnnotatedElementUtils.hasAnnotation(router.getClass(), ShardedIdDataSource.class)) {
            return LeaseConnections.of(target(router));
        }
        throw unknown(router);
    }

    private static ShardedIdConfigurationException unknown(DataSource application) {
        return new ShardedIdConfigurationException(
                ("Could not lease a worker id: data source=%s (it may choose a database for each connection, as far as "
                        + "its class tells, and all processes must lease from one table)")
                    .formatted(application.getClass().getName()),
                REMEDY, KEY);
    }

    /**
     * Where the rows go. To ask for every data source makes them all, and it matters only
     * beside a database that only this process sees.
     */
    private List<LeaseConnections> databases(@Nullable DataSource chosen, @Nullable DataSource application,
            @Nullable LeaseConnections lease) {
        if (lease != null && chosen == null) {
            return List.of(lease);
        }
        return mayBePrivate(chosen, this.settings.get(ShardedIdKey.LEASE_URL))
                ? this.dataSources.stream().filter((each) -> each != chosen).map(ApplicationLease::connections).toList()
                : List.of();
    }

    static boolean mayBePrivate(@Nullable DataSource chosen, @Nullable Object url) {
        return (url instanceof String text) ? LeaseConnections.url(text, null, null).mayBePrivate()
                : chosen != null && connections(chosen).mayBePrivate();
    }

    private static LeaseConnections connections(DataSource dataSource) {
        return LeaseConnections.own(target(dataSource));
    }

    /** The default of a router stands for it: the keeper is in no transaction. */
    private static DataSource target(DataSource dataSource) {
        AbstractRoutingDataSource router = router(dataSource);
        DataSource known = (router != null) ? router.getResolvedDefaultDataSource() : null;
        return (known != null) ? known : dataSource;
    }

    private static @Nullable AbstractRoutingDataSource router(DataSource application) {
        try {
            return application.isWrapperFor(AbstractRoutingDataSource.class)
                    ? application.unwrap(AbstractRoutingDataSource.class) : null;
        }
        catch (SQLException | RuntimeException ex) {
            return null;
        }
    }

}
