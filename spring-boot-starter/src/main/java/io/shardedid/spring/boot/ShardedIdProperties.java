package io.shardedid.spring.boot;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.LeaseAcquisition;
import io.shardedid.SchemaInitialization;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.KeyChange;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of ShardedId. They are only bound here:
 * {@link ShardedIdSettings} has the defaults and rules, so that {@code persistence.xml}
 * and {@code application.properties} mean the same.
 *
 * @param epoch Instant of tick 0. Must be before the oldest row that will ever get an id,
 * and is fixed once rows exist. The presets snowflake and sonyflake have defaults of
 * their own.
 * @param shards Number of logical shards, 1 to 2^shard-bits. Fixed once rows exist.
 * @param shardFunction Function from shard key to logical shard: its name, or the name of
 * a class. A bean of type ShardFunction replaces it. Fixed once rows exist.
 * @param olderIdsBefore Time before which ids are older: those whose time is before it
 * are plain numbers. Defaults to the time of the first lease.
 * @param onKeyChange What happens when an update takes a shard key to another shard than
 * the one in the id.
 * @param layout how the bits of an id are shared out
 * @param worker where this process gets its worker id
 * @param clock how far ids may be from the clocks
 * @param json how JSON carries ids
 * @since 0.1
 */
@ConfigurationProperties("shardedid")
public record ShardedIdProperties(@Nullable Instant epoch, @Nullable Integer shards, @Nullable String shardFunction,
        @Nullable Instant olderIdsBefore, @Nullable KeyChange onKeyChange, @DefaultValue Layout layout,
        @DefaultValue Worker worker, @DefaultValue Clock clock, @DefaultValue Json json) {

    /**
     * Returns what was set, as the map that {@code ShardedIdSettings} reads.
     * @return values by key, without the keys that were not set
     */
    public Map<String, Object> toSettings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        put(settings, ShardedIdKey.EPOCH, this.epoch);
        put(settings, ShardedIdKey.SHARDS, this.shards);
        put(settings, ShardedIdKey.SHARD_FUNCTION, this.shardFunction);
        put(settings, ShardedIdKey.OLDER_IDS_BEFORE, this.olderIdsBefore);
        put(settings, ShardedIdKey.ON_KEY_CHANGE, this.onKeyChange);
        put(settings, ShardedIdKey.LAYOUT_PRESET, this.layout.preset);
        put(settings, ShardedIdKey.LAYOUT_SHARD_BITS, this.layout.shardBits);
        put(settings, ShardedIdKey.LAYOUT_WORKER_BITS, this.layout.workerBits);
        put(settings, ShardedIdKey.LAYOUT_SEQUENCE_BITS, this.layout.sequenceBits);
        put(settings, ShardedIdKey.WORKER_MODE, this.worker.mode);
        put(settings, ShardedIdKey.WORKER_ID, this.worker.id);
        put(settings, ShardedIdKey.LEASE_TABLE, this.worker.lease.table);
        put(settings, ShardedIdKey.LEASE_NAMESPACE, this.worker.lease.namespace);
        put(settings, ShardedIdKey.LEASE_WORKER_IDS, this.worker.lease.workerIds);
        put(settings, ShardedIdKey.LEASE_INITIALIZE_SCHEMA, this.worker.lease.initializeSchema);
        put(settings, ShardedIdKey.LEASE_WINDOW, this.worker.lease.window);
        put(settings, ShardedIdKey.LEASE_STARTUP_TIMEOUT, this.worker.lease.startupTimeout);
        put(settings, ShardedIdKey.LEASE_ACQUIRE, this.worker.lease.acquire);
        put(settings, ShardedIdKey.LEASE_TOLERATE_LOST_COMMITS, this.worker.lease.tolerateLostCommits);
        put(settings, ShardedIdKey.LEASE_PROMOTED_CLOCK_BEHIND, this.worker.lease.promotedClockBehind);
        put(settings, ShardedIdKey.LEASE_DATA_SOURCE, this.worker.lease.dataSource);
        put(settings, ShardedIdKey.LEASE_URL, this.worker.lease.url);
        put(settings, ShardedIdKey.LEASE_USERNAME, this.worker.lease.username);
        put(settings, ShardedIdKey.LEASE_PASSWORD, this.worker.lease.password);
        put(settings, ShardedIdKey.CLOCK_MAX_AHEAD, this.clock.maxAhead);
        put(settings, ShardedIdKey.CLOCK_MAX_WAIT, this.clock.maxWait);
        put(settings, ShardedIdKey.CLOCK_MAX_SKEW, this.clock.maxSkew);
        put(settings, ShardedIdKey.JSON_AS_STRING, this.json.asString);
        return settings;
    }

    private static void put(Map<String, Object> settings, ShardedIdKey key, @Nullable Object value) {
        if (value != null) {
            settings.put(key.externalName(), value);
        }
    }

    /**
     * How the bits of an id are shared out.
     *
     * @param preset Name of the layout that the widths start from. Fixed once rows exist.
     * @param shardBits Width of the shard. The preset's unless set.
     * @param workerBits Width of the worker. The preset's unless set.
     * @param sequenceBits Width of the sequence. The preset's unless set.
     */
    public record Layout(@Nullable String preset, @Nullable Integer shardBits, @Nullable Integer workerBits,
            @Nullable Integer sequenceBits) {
    }

    /**
     * Where this process gets its worker id.
     *
     * @param mode Source of the worker id.
     * @param id Worker id of mode 'fixed', or exactly the one to lease.
     * @param lease the lease of mode {@code lease}
     */
    public record Worker(@Nullable WorkerMode mode, @Nullable Integer id, @DefaultValue Lease lease) {
    }

    /**
     * The lease of mode {@code lease}.
     *
     * @param table Name of the lease table.
     * @param namespace Name that separates groups of processes in one lease table.
     * @param workerIds Worker ids that the lease table gives out, as 0-63, where another
     * table gives out the others. All unless set.
     * @param initializeSchema When to create the lease table.
     * @param window How long a lease lasts without a renewal. From 1s to 1h.
     * @param startupTimeout How long a start waits for the database and for a free worker
     * id. Longer than the window.
     * @param acquire When the first lease is taken.
     * @param tolerateLostCommits Whether ids must stay unique on a database that may lose
     * acknowledged commits in a failover.
     * @param promotedClockBehind How far the clock of a promoted database server may be
     * behind the clock of the server before, where lost commits are tolerated.
     * @param dataSource Name of the 'DataSource' bean that leads to the lease table,
     * where there are several, or where the application's may choose among databases.
     * @param url JDBC URL of the database with the lease table. The application's unless
     * set.
     * @param username User for that database.
     * @param password Password for that database.
     */
    public record Lease(@Nullable String table, @Nullable String namespace, @Nullable String workerIds,
            @Nullable SchemaInitialization initializeSchema, @Nullable Duration window,
            @Nullable Duration startupTimeout, @Nullable LeaseAcquisition acquire,
            @Nullable Boolean tolerateLostCommits, @Nullable Duration promotedClockBehind, @Nullable String dataSource,
            @Nullable String url, @Nullable String username, @Nullable String password) {

        /** Without what is in the URL and the password. */
        @Override
        public String toString() {
            return "Lease[table=%s, namespace=%s]".formatted(this.table, this.namespace);
        }

    }

    /**
     * How far ids may be from the clocks.
     *
     * @param maxAhead How far ids may run ahead of the clock when a shard has used up its
     * sequence.
     * @param maxWait How long a caller may wait for an id.
     * @param maxSkew Difference of the wall clocks here and in the database at which the
     * start fails. A start logs a difference of more than 10 seconds.
     */
    public record Clock(@Nullable Duration maxAhead, @Nullable Duration maxWait, @Nullable Duration maxSkew) {
    }

    /**
     * How JSON carries ids.
     *
     * @param asString Whether ids of entities are strings in JSON. JavaScript rounds
     * numbers beyond 2^53 - 1.
     */
    public record Json(@Nullable Boolean asString) {
    }

}
