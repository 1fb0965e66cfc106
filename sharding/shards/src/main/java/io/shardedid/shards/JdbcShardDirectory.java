package io.shardedid.shards;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.lease.LeaseThreadTask;
import io.shardedid.internal.lease.LeaseThread;
import io.shardedid.internal.lease.jdbc.KeeperDatabase;
import org.jspecify.annotations.Nullable;

/**
 * Opens the directory of a shard map that lives in two tables beside the lease table,
 * {@code shardedid_shard} and {@code shardedid_database}.
 *
 * @since 0.1
 */
public final class JdbcShardDirectory {

    /**
     * How often the lease thread looks at the version of the map unless another time is
     * set.
     */
    public static final Duration DEFAULT_REFRESH = Duration.ofSeconds(8);

    /** How long a router may go by its map without having read it again. */
    public static final Duration ROUTER_LIMIT = Duration.ofMinutes(10);

    private JdbcShardDirectory() {
    }

    /**
     * Returns whether an engine can keep a directory up to date.
     * @param engine the engine
     * @return whether it leases its worker id from a table, so that a lease thread runs
     */
    public static boolean isPossibleWith(ShardedIdEngine engine) {
        return keeper(engine).isPresent();
    }

    private static Optional<LeaseThread> keeper(ShardedIdEngine engine) {
        return (engine.leaseSource() instanceof LeaseThread keeper && KeeperDatabase.isOf(keeper.store()))
                ? Optional.of(keeper) : Optional.empty();
    }

    /**
     * Returns the namespace of an engine's lease.
     * @param engine the engine
     * @return the namespace; empty if the engine leases no worker id from a table
     */
    public static Optional<String> namespaceOf(ShardedIdEngine engine) {
        return keeper(engine).map(LeaseThread::namespace);
    }

    /**
     * Opens a directory that the lease thread of an engine keeps up to date: on its
     * connection, between its renewals. The tables are created by the same rule as the
     * lease table. The first process of a namespace stores the initial map; from then on
     * the table counts, and a difference is logged.
     * @param engine the engine, which must stay open for as long as the directory
     * @param initial the map for a namespace that has none, or null
     * @param databases the names of the databases that this application can connect to;
     * every later map may use these only. Empty if that should not be checked
     * @param refreshEvery how often to look at the version of the map, 1 second to 1
     * minute, before a jitter of 20 %
     * @return the directory, whose map has been read
     * @throws ShardMapException if there is no map that can be used, the tables cannot be
     * used, or the engine leases no worker id from a table
     * @throws ShardMovedException if the database did not answer for as long as the start
     * of an engine may take
     */
    public static ShardDirectory open(ShardedIdEngine engine, @Nullable ShardMap initial, Collection<String> databases,
            Duration refreshEvery) {
        LeaseThread keeper = keeper(engine)
            .orElseThrow(
                    () -> new ShardMapException(
                            "Could not open the shard map: leases=%s (the map lives beside the lease table)"
                                .formatted(engine.leaseSource().getClass().getSimpleName()),
                            "set 'shardedid.worker.mode=lease'"));
        TableShardDirectory directory = new TableShardDirectory(new TableShardDirectory.Choices(keeper.namespace(),
                engine.shards(), initial, Set.copyOf(databases), refreshEvery), engine.terms().time(), keeper::look);
        Task task = new Task(directory, new SqlShardTable(keeper.store(), keeper.namespace()));
        boolean opened = false;
        try {
            if (!keeper.add(task)) {
                throw engine.leaseSource().refusal();
            }
            directory.awaitMap(engine.leaseSource().startTimeout());
            opened = true;
            return directory;
        }
        finally {
            if (!opened) {
                directory.close();
            }
        }
    }

    /**
     * The look at the table as the keeper does it.
     *
     * @param directory the directory
     * @param table the table
     */
    private record Task(TableShardDirectory directory, ShardTable table) implements LeaseThreadTask {

        @Override
        public long dueNanos() {
            return this.directory.dueNanos();
        }

        @Override
        public boolean run() {
            return this.directory.run(this.table);
        }

        @Override
        public void end() {
            this.directory.end();
        }

    }

}
