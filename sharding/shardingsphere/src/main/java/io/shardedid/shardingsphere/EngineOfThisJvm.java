package io.shardedid.shardingsphere;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.ShardedIdEngine;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardMapException;
import io.shardedid.shards.JdbcShardDirectory;
import org.jspecify.annotations.Nullable;

/**
 * The engine of the application and its shard map. ShardingSphere makes the algorithm by
 * itself, and perhaps before the engine is open, so the engine is looked for when the
 * first statement needs it, and again when it has been closed. The engine is borrowed: it
 * ends when the application closes it, and ends the directory with it. Safe for use by
 * many threads.
 */
final class EngineOfThisJvm {

    private static final System.Logger LOG = System.getLogger(EngineOfThisJvm.class.getName());

    private final @Nullable String initialMap;

    private final Duration refresh;

    private final @Nullable String namespace;

    private final @Nullable String layout;

    private final @Nullable String shards;

    /** The first to need it opens it, and the others wait. */
    private final AtomicReference<@Nullable CompletableFuture<Borrowed>> borrowed = new AtomicReference<>();

    EngineOfThisJvm(Properties properties) {
        this.initialMap = properties.getProperty("initial-map");
        this.namespace = properties.getProperty("namespace");
        this.layout = properties.getProperty("layout");
        this.shards = properties.getProperty("shards");
        String every = properties.getProperty("refresh", JdbcShardDirectory.DEFAULT_REFRESH.toString());
        try {
            this.refresh = Duration.parse(every);
        }
        catch (DateTimeParseException ex) {
            throw new ShardedIdConfigurationException(
                    new Problem("Property 'refresh' of '%s' is no duration: refresh='%s' (ISO 8601)"
                        .formatted(ShardedIdShardingAlgorithm.TYPE, every), "write it like 'PT8S'"),
                    ex);
        }
    }

    /**
     * Returns the engine and the present map.
     * @param databases the databases that are there, when the map is read first
     */
    Routes routes(Collection<String> databases) {
        while (true) {
            CompletableFuture<Borrowed> known = this.borrowed.get();
            if (known == null) {
                CompletableFuture<Borrowed> mine = new CompletableFuture<>();
                if (this.borrowed.compareAndSet(null, mine)) {
                    return open(mine, databases).routes();
                }
            }
            else {
                Borrowed there = joined(known);
                if (there.isOpen()) {
                    return there.routes();
                }
                if (this.borrowed.compareAndSet(known, null)) {
                    there.directory.close();
                }
            }
        }
    }

    private Borrowed open(CompletableFuture<Borrowed> mine, Collection<String> databases) {
        try {
            ShardedIdEngine engine = checked(engine());
            Borrowed opened = new Borrowed(engine, directory(engine, databases));
            mine.complete(opened);
            return opened;
        }
        catch (RuntimeException | Error ex) {
            // the next statement tries again: the engine may be opened meanwhile
            this.borrowed.compareAndSet(mine, null);
            mine.completeExceptionally(ex);
            throw ex;
        }
    }

    private static Borrowed joined(CompletableFuture<Borrowed> opening) {
        try {
            return opening.join();
        }
        catch (CompletionException ex) {
            if (ex.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw ex;
        }
    }

    private ShardedIdEngine engine() {
        List<ShardedIdEngine> found = new ArrayList<>();
        List<String> namespaces = new ArrayList<>();
        for (ShardedIdEngine engine : ShardedIdEngine.openInThisJvm()) {
            String namespace = JdbcShardDirectory.namespaceOf(engine).orElse("none");
            namespaces.add("'" + namespace + "'");
            if ((this.namespace == null || this.namespace.equals(namespace))
                    && found.stream().noneMatch((other) -> other.leaseSource() == engine.leaseSource())) {
                found.add(engine);
            }
        }
        if (found.isEmpty()) {
            throw new ShardedIdConfigurationException(
                    "Could not choose a database: no engine of ids is open in this JVM: namespace=%s (open: %s)"
                        .formatted(this.namespace, namespaces.isEmpty() ? "none" : String.join(", ", namespaces)),
                    "open it before the first statement with an id, by the starter or 'ShardedIds.builder()'");
        }
        if (found.size() > 1) {
            throw new ShardedIdConfigurationException(
                    ("Could not choose a database: several engines of ids are open in this JVM: namespace=%s "
                            + "(open: %s)")
                        .formatted(this.namespace, String.join(", ", namespaces)),
                    "set 'namespace' of the algorithm to one that only one of them has");
        }
        return found.get(0);
    }

    private ShardedIdEngine checked(ShardedIdEngine engine) {
        String layout = this.layout;
        if (layout != null && !layout.equals(engine.layout().fingerprint())
                && !engine.layout().equals(preset(layout))) {
            throw new ShardedIdConfigurationException(
                    "Layout of the algorithm must be the application's: layout='%s' (application: '%s')"
                        .formatted(layout, engine.layout().fingerprint()),
                    "correct 'layout' of the algorithm, or 'shardedid.layout.*' of the application");
        }
        if (this.shards != null && !this.shards.strip().equals(String.valueOf(engine.shards()))) {
            throw new ShardedIdConfigurationException(
                    "Number of shards of the algorithm must be the application's: shards=%s (application: %s)"
                        .formatted(this.shards, engine.shards()),
                    "correct 'shards' of the algorithm, or 'shardedid.shards' of the application");
        }
        return engine;
    }

    private static @Nullable IdLayout preset(String name) {
        try {
            return IdLayout.preset(name);
        }
        catch (ShardedIdConfigurationException ex) {
            return null;
        }
    }

    private ShardDirectory directory(ShardedIdEngine engine, Collection<String> databases) {
        ShardMap initial = (this.initialMap != null)
                ? ShardMap.parse(this.initialMap, engine.shards()).checkDatabases(databases) : null;
        if (JdbcShardDirectory.isPossibleWith(engine)) {
            return JdbcShardDirectory.open(engine, initial, databases, this.refresh);
        }
        if (initial == null) {
            throw new ShardMapException(
                    "There is no shard map: initial-map=null (this process leases no worker id from a table, and "
                            + "the map is in a table beside it)",
                    "set 'initial-map' of the algorithm, or 'shardedid.worker.mode' to 'lease'");
        }
        LOG.log(System.Logger.Level.WARNING,
                "The shard map stays as it is until the next start, because this process leases no worker id: map=''{0}''; stop it before a shard moves, or set ''shardedid.worker.mode'' to ''lease''",
                initial);
        return ShardDirectory.of(initial);
    }

    /**
     * An engine with the map as of one statement.
     *
     * @param engine the engine
     * @param map the map
     */
    record Routes(ShardedIdEngine engine, ShardMap map) {
    }

    /**
     * An engine of the application, and the directory of its map.
     *
     * @param engine the engine
     * @param directory the directory
     */
    private record Borrowed(ShardedIdEngine engine, ShardDirectory directory) {

        boolean isOpen() {
            return ShardedIdEngine.openInThisJvm().contains(this.engine);
        }

        Routes routes() {
            return new Routes(this.engine, this.directory.current());
        }

    }

}
