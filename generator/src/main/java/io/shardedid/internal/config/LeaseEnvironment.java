package io.shardedid.internal.config;

import java.util.List;
import java.util.function.Supplier;

import io.shardedid.LeaseAcquisition;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.MessageText;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration keys do not say about leases: the application around them. An
 * integration that opens engines by configuration keys hands it to
 * {@link ShardedIdSettings#workers}.
 *
 * @param connections where the keeper connects to unless
 * {@code shardedid.worker.lease.url} is set, or null if nothing is known
 * @param makesSchema whether the application lets Hibernate create or update its schema
 * @param application the name of the application, which the lease table shows; may be
 * empty
 * @param listeners the listeners of the lease
 * @param databases where the rows of the application go, as far as that is known
 * @param awaitTable whether a migration that creates the lease table may be running
 * @param login the login at {@code shardedid.worker.lease.url}, in place of
 * {@code username} and {@code password}, or null
 */
public record LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
        List<WorkerLeaseListener> listeners, List<LeaseConnections> databases, boolean awaitTable,
        @Nullable Supplier<LeaseLogin> login) {

    private static final System.Logger LOG = System.getLogger(LeaseEnvironment.class.getName());

    /** Nothing is known: leases need {@code shardedid.worker.lease.url}. */
    public static final LeaseEnvironment UNKNOWN = new LeaseEnvironment(null, false, "", List.of(), List.of(), false,
            null);

    WorkerLeases leases(ShardedIdSettings keys) {
        LeaseSettings lease = settings(keys);
        LeaseConnections database = connectionsFor(keys);
        LOG.log(System.Logger.Level.INFO, "Worker ids of namespace ''{0}'' are leased from {1}, with a window of {2}",
                lease.namespace(), database.describe(), MessageText.duration(lease.window()));
        SchemaInitialization set = keys.value(ShardedIdKey.LEASE_INITIALIZE_SCHEMA, SchemaInitialization.class);
        return JdbcLeases.leased(lease, database, keys.value(ShardedIdKey.LEASE_TABLE, String.class),
                (set == SchemaInitialization.EMBEDDED && this.makesSchema) ? SchemaInitialization.ALWAYS : set,
                this.listeners);
    }

    /** The lease table of a configuration, for a command. */
    static LeaseStore store(ShardedIdSettings keys) {
        return JdbcLeases.store(keys.value(ShardedIdKey.LEASE_NAMESPACE, String.class), UNKNOWN.connectionsFor(keys),
                keys.value(ShardedIdKey.LEASE_TABLE, String.class),
                keys.value(ShardedIdKey.LEASE_INITIALIZE_SCHEMA, SchemaInitialization.class));
    }

    LeaseSettings settings(ShardedIdSettings keys) {
        LeaseSettings.Builder lease = LeaseSettings.builder().awaitTable(this.awaitTable).application(this.application);
        for (ShardedIdKey key : ShardedIdKey.values()) {
            Object value = keys.get(key);
            if (value != null) {
                key.apply(value, lease);
            }
        }
        return lease.build();
    }

    private LeaseConnections connectionsFor(ShardedIdSettings keys) {
        String url = keys.find(ShardedIdKey.LEASE_URL, String.class).orElse(null);
        String user = keys.find(ShardedIdKey.LEASE_USERNAME, String.class).orElse(null);
        String password = keys.find(ShardedIdKey.LEASE_PASSWORD, String.class).orElse(null);
        if (url != null) {
            return byUrl(url, user, password).beside(this.databases);
        }
        if (user != null || password != null) {
            throw new ShardedIdConfigurationException(
                    "'shardedid.worker.lease.username' and 'shardedid.worker.lease.password' have no effect without "
                            + "'shardedid.worker.lease.url'",
                    "set the URL of the lease database, or remove the login", "shardedid.worker.lease.username",
                    "shardedid.worker.lease.password");
        }
        LeaseConnections known = this.connections;
        if (known != null) {
            return this.databases.equals(List.of(known)) ? known : known.beside(this.databases);
        }
        if (keys.value(ShardedIdKey.LEASE_ACQUIRE, LeaseAcquisition.class) == LeaseAcquisition.FIRST_USE) {
            return LeaseConnections.none(LeaseEnvironment::noDatabase);
        }
        throw noDatabase();
    }

    private LeaseConnections byUrl(String url, @Nullable String user, @Nullable String password) {
        Supplier<LeaseLogin> asked = this.login;
        if (asked == null) {
            return LeaseConnections.url(url, user, password);
        }
        if (user != null || password != null) {
            throw new ShardedIdConfigurationException(
                    ("The login of the lease must be given once: shardedid.worker.lease.username=%s, "
                            + "shardedid.worker.lease.password=%s, and a supplier of '%s'")
                        .formatted((user != null) ? "set" : "unset", (password != null) ? "set" : "unset",
                                LeaseLogin.class.getSimpleName()),
                    "remove the keys or the supplier", "shardedid.worker.lease.username",
                    "shardedid.worker.lease.password");
        }
        return LeaseConnections.url(url, asked);
    }

    private static ShardedIdConfigurationException noDatabase() {
        return new ShardedIdConfigurationException(
                "Could not lease a worker id: no database is known (shardedid.worker.mode=lease, "
                        + "shardedid.worker.lease.url=null)",
                "configure a data source, set 'shardedid.worker.lease.url', or mark one of several data sources with "
                        + "'@ShardedIdDataSource'",
                "shardedid.worker.mode", "shardedid.worker.lease.url");
    }

}
