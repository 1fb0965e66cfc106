package io.shardedid.routing;

import java.util.Map;
import java.util.function.Supplier;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Takes the connection of a statement from the pool of the database that the transaction
 * or the scope is in. The home database is its default only so that the lease finds its
 * way there; no statement takes the default.
 */
final class RoutingDataSource extends AbstractRoutingDataSource {

    private final Supplier<ShardBindings> bindings;

    RoutingDataSource(Databases databases, Supplier<ShardBindings> bindings) {
        this.bindings = bindings;
        setTargetDataSources(Map.copyOf(databases.pools()));
        setDefaultTargetDataSource(databases.pool(databases.home()));
        setLenientFallback(false);
    }

    @Override
    protected Object determineCurrentLookupKey() {
        return this.bindings.get().database();
    }

}
