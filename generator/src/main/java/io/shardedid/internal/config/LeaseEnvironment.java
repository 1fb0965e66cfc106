package io.shardedid.internal.config;

import java.util.List;
import java.util.function.Supplier;

import io.shardedid.LeaseAcquisition;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
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
 * @since 0.1
 */
public record LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
        List<WorkerLeaseListener> listeners, List<LeaseConnections> databases, boolean awaitTable,
        @Nullable Supplier<LeaseLogin> login) {

    private static final System.Logger LOG = System.getLogger(LeaseEnvironment.class.getName());

    /** Nothing is known: leases need {@code shardedid.worker.lease.url}. */
    public static final LeaseEnvironment UNKNOWN = new LeaseEnvironment(null, false, "", List.of());

    /**
     * Makes an environment whose rows go where the keeper connects to.
     * @param connections where the keeper connects to unless
     * {@code shardedid.worker.lease.url} is set, or null if nothing is known
     * @param makesSchema whether the application lets Hibernate create or update its
     * schema
     * @param application the name of the application, which the lease table shows; may be
     * empty
     * @param listeners the listeners of the lease
     */
    public LeaseEnvironment(@Nullable LeaseConnections connections, boolean makesSchema, String application,
            List<WorkerLeaseListener> listeners) {
        this(connections, makesSchema, application, listeners, (connections != null) ? List.of(connections) : List.of(),
                false, null);
    }

    WorkerLeases leases(SettingValues values) {
        LeaseSettings settings = settings(values);
        LeaseConnections database = connectionsFor(values);
        LOG.log(System.Logger.Level.INFO, "Worker ids of namespace ''{0}'' are leased from {1}, with a window of {2}",
                settings.namespace(), database.describe(), MessageText.duration(settings.window()));
        SchemaInitialization set = initialization(values);
        return JdbcLeases.leased(settings, database, values.value(ShardedIdKey.LEASE_TABLE, SettingType.TEXT),
                (set == SchemaInitialization.EMBEDDED && this.makesSchema) ? SchemaInitialization.ALWAYS : set,
                this.listeners);
    }

    /** The lease table of a configuration, for a command. */
    static LeaseStore store(SettingValues values) {
        return JdbcLeases.store(values.value(ShardedIdKey.LEASE_NAMESPACE, SettingType.TEXT),
                UNKNOWN.connectionsFor(values), values.value(ShardedIdKey.LEASE_TABLE, SettingType.TEXT),
                initialization(values));
    }

    private static SchemaInitialization initialization(SettingValues values) {
        return values.value(ShardedIdKey.LEASE_INITIALIZE_SCHEMA, SettingType.SCHEMA_INITIALIZATION);
    }

    /** Returns the settings of the lease that the keys say. */
    LeaseSettings settings(SettingValues values) {
        LeaseSettings.Builder lease = LeaseSettings.builder()
            .namespace(values.value(ShardedIdKey.LEASE_NAMESPACE, SettingType.TEXT))
            .window(values.value(ShardedIdKey.LEASE_WINDOW, SettingType.DURATION))
            .startupTimeout(values.value(ShardedIdKey.LEASE_STARTUP_TIMEOUT, SettingType.DURATION))
            .firstUse(firstUse(values))
            .awaitTable(this.awaitTable)
            .tolerateLostCommits(values.value(ShardedIdKey.LEASE_TOLERATE_LOST_COMMITS, SettingType.BOOLEAN))
            .promotedClockBehind(values.value(ShardedIdKey.LEASE_PROMOTED_CLOCK_BEHIND, SettingType.DURATION))
            .maxSkew(values.value(ShardedIdKey.CLOCK_MAX_SKEW, SettingType.DURATION))
            .application(this.application);
        WorkerIdRange range = values.set(ShardedIdKey.LEASE_WORKER_IDS, SettingType.WORKER_IDS);
        if (range != null) {
            lease.workerIds(range);
        }
        Integer worker = values.set(ShardedIdKey.WORKER_ID, SettingType.INTEGER);
        if (worker != null) {
            lease.workerId(worker);
        }
        return lease.build();
    }

    private static boolean firstUse(SettingValues values) {
        return values.value(ShardedIdKey.LEASE_ACQUIRE, SettingType.LEASE_ACQUISITION) == LeaseAcquisition.FIRST_USE;
    }

    private LeaseConnections connectionsFor(SettingValues values) {
        String url = values.set(ShardedIdKey.LEASE_URL, SettingType.TEXT);
        String user = values.set(ShardedIdKey.LEASE_USERNAME, SettingType.TEXT);
        String password = values.set(ShardedIdKey.LEASE_PASSWORD, SettingType.TEXT);
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
        if (known == null && firstUse(values)) {
            return LeaseConnections.none(LeaseEnvironment::noDatabase);
        }
        if (known == null) {
            throw noDatabase();
        }
        return this.databases.equals(List.of(known)) ? known : known.beside(this.databases);
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
