package io.shardedid.config;

import java.time.Duration;
import java.util.OptionalInt;

import io.shardedid.LeaseAcquisition;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.WorkerIdRange;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import org.jspecify.annotations.Nullable;

/**
 * What the keys say about leases.
 *
 * @param table the name of the lease table, or null
 * @param initialization when the lease table is created, or null
 * @param url the lease database, or null
 * @param username the user for it, or null
 * @param password the password for it, or null
 * @param namespace the namespace
 * @param window how long a lease lasts without renewal
 * @param startupTimeout how long a start waits for a free worker id
 * @param acquisition when the first lease is taken
 * @param tolerateLostCommits whether uniqueness must survive a failover that loses
 * commits
 * @param promotedClockBehind how far the clock of a promoted server may be behind
 * @param maxSkew the difference of the wall clocks at which the start fails
 * @param workerIds the worker ids of the lease table, or null for all
 * @param workerId the one worker id to lease, or empty for any
 */
record ConfiguredLease(@Nullable String table, @Nullable SchemaInitialization initialization, @Nullable String url,
        @Nullable String username, @Nullable String password, String namespace, Duration window,
        Duration startupTimeout, LeaseAcquisition acquisition, boolean tolerateLostCommits,
        Duration promotedClockBehind, Duration maxSkew, @Nullable WorkerIdRange workerIds, OptionalInt workerId) {

    static ConfiguredLease of(SettingValues values, OptionalInt workerId) {
        return new ConfiguredLease(values.set(ShardedIdKey.LEASE_TABLE, SettingType.TEXT),
                values.set(ShardedIdKey.LEASE_INITIALIZE_SCHEMA, SettingType.SCHEMA_INITIALIZATION),
                values.set(ShardedIdKey.LEASE_URL, SettingType.TEXT),
                values.set(ShardedIdKey.LEASE_USERNAME, SettingType.TEXT),
                values.set(ShardedIdKey.LEASE_PASSWORD, SettingType.TEXT),
                values.value(ShardedIdKey.LEASE_NAMESPACE, SettingType.TEXT),
                values.value(ShardedIdKey.LEASE_WINDOW, SettingType.DURATION),
                values.value(ShardedIdKey.LEASE_STARTUP_TIMEOUT, SettingType.DURATION),
                values.value(ShardedIdKey.LEASE_ACQUIRE, SettingType.LEASE_ACQUISITION),
                values.value(ShardedIdKey.LEASE_TOLERATE_LOST_COMMITS, SettingType.BOOLEAN),
                values.value(ShardedIdKey.LEASE_PROMOTED_CLOCK_BEHIND, SettingType.DURATION),
                values.value(ShardedIdKey.CLOCK_MAX_SKEW, SettingType.DURATION),
                values.set(ShardedIdKey.LEASE_WORKER_IDS, SettingType.WORKER_IDS), workerId);
    }

    String tableOrDefault() {
        return (this.table != null) ? this.table : JdbcLeases.DEFAULT_TABLE;
    }

    SchemaInitialization initializationOrDefault() {
        return (this.initialization != null) ? this.initialization : JdbcLeases.DEFAULT_INITIALIZATION;
    }

    /** Returns the settings of the lease that the keys say. */
    LeaseSettings settings(String application, boolean awaitTable) {
        LeaseSettings.Builder lease = LeaseSettings.builder()
            .namespace(this.namespace)
            .window(this.window)
            .startupTimeout(this.startupTimeout)
            .firstUse(this.acquisition == LeaseAcquisition.FIRST_USE)
            .awaitTable(awaitTable)
            .tolerateLostCommits(this.tolerateLostCommits)
            .promotedClockBehind(this.promotedClockBehind)
            .maxSkew(this.maxSkew)
            .application(application);
        WorkerIdRange range = this.workerIds;
        if (range != null) {
            lease.workerIds(range);
        }
        this.workerId.ifPresent(lease::workerId);
        return lease.build();
    }

    /** Without the password, and without the URL, which may contain one. */
    @Override
    public String toString() {
        return "ConfiguredLease[namespace=%s]".formatted(this.namespace);
    }

}
