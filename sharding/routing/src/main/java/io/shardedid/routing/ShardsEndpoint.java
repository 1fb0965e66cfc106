package io.shardedid.routing;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@link Endpoint} that shows the shard map, and what prevents a second database:
 * entities without a shard, and the places in the application whose transactions touch
 * two shards. It only reads.
 *
 * @since 0.1
 */
@Endpoint(id = "shards")
public class ShardsEndpoint {

    private final RoutedSessionFactories units;

    private final CrossShardCalls crossings;

    private final @Nullable Databases databases;

    ShardsEndpoint(RoutedSessionFactories units, CrossShardCalls crossings, @Nullable Databases databases) {
        this.units = units;
        this.crossings = crossings;
        this.databases = databases;
    }

    /**
     * Returns what was found since the start.
     * @return the findings
     */
    @ReadOperation
    public ShardsDescriptor shards() {
        Databases known = this.databases;
        return new ShardsDescriptor((known != null) ? known.names() : null,
                (known != null) ? known.map().toString() : null, (known != null) ? known.map().version() : null,
                this.units.unsharded(), this.crossings.total(),
                this.crossings.sites()
                    .stream()
                    .map((site) -> new CallSiteDescriptor(site.at(), site.transactions()))
                    .toList());
    }

    /**
     * What was found since the start.
     *
     * @param databases the names of the databases, or null without a router
     * @param shardMap which database holds which shard, or null without a router
     * @param shardMapVersion the version of the map; 0 if it comes from the
     * configuration; null without a router
     * @param entitiesWithoutShard names of entities whose id carries no shard and that
     * have no shard key
     * @param crossShardTransactions how many transactions touched a second shard
     * @param crossShardCallSites where, the place with the most transactions first
     */
    public record ShardsDescriptor(@Nullable List<String> databases, @Nullable String shardMap,
            @Nullable Long shardMapVersion, List<String> entitiesWithoutShard, long crossShardTransactions,
            List<CallSiteDescriptor> crossShardCallSites) {
    }

    /**
     * A place in the application.
     *
     * @param at class, method, file and line
     * @param transactions how many transactions touched a second shard there
     */
    public record CallSiteDescriptor(String at, long transactions) {
    }

}
