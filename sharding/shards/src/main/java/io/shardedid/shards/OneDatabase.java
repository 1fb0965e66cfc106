package io.shardedid.shards;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A process that sends all its statements to one database, and knows neither the name of
 * that database nor a map. It registers as a router as soon as there is a map, and
 * confirms a map only if all shards are in one database, so a mover that takes a shard
 * away waits for it. Without tables of a map it makes none. Used by the keeper's thread,
 * but for {@link #close()}.
 */
final class OneDatabase implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(OneDatabase.class.getName());

    private final TableShardDirectory.Choices choices;

    private final TimeSource time;

    private final Runnable wake;

    private final RouterLease lease;

    private final MapReader reader;

    private final SplittableRandom random = new SplittableRandom();

    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

    private volatile long dueNanos;

    private volatile boolean closed;

    private @Nullable ShardMap known;

    /** The only database of the first map, which is taken for that of this process. */
    private @Nullable String own;

    /** The last map in which all shards are there, or null. */
    private @Nullable MapUses confirmed;

    /** What the log has already. */
    private String problem = "";

    /**
     * Makes a process that has not looked at the table yet.
     * @param choices the namespace, the name of the process, the shards and how often to
     * look
     * @param time the clocks
     * @param wake lets the keeper look at once whether {@link #run} is due
     */
    OneDatabase(TableShardDirectory.Choices choices, TimeSource time, Runnable wake) {
        this.choices = choices;
        this.time = time;
        this.wake = wake;
        this.lease = new RouterLease(choices.process(), time);
        this.reader = new MapReader(choices);
        this.dueNanos = time.nanoTime();
    }

    long dueNanos() {
        return this.closed ? this.time.nanoTime() : this.dueNanos;
    }

    /**
     * Looks at the table. Never throws but for an {@link Error}.
     * @return whether this process goes on
     */
    boolean run(ShardTable table) {
        if (this.closed) {
            end(table);
            return false;
        }
        this.dueNanos = this.time.nanoTime()
                + (long) (this.choices.refreshEvery().toNanos() * (0.8 + 0.4 * this.random.nextDouble()));
        try {
            if (this.known != null || table.exists() && !table.version().isNone()) {
                look(table);
            }
        }
        catch (Exception ex) {
            failed(String.valueOf(ex.getMessage()).lines().findFirst().orElse(ex.getClass().getName()));
        }
        return true;
    }

    private void failed(String text) {
        boolean first = !text.equals(this.problem);
        this.problem = text;
        LOG.log(first ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                "This process could not register for movers; it tries again: {0}", text);
    }

    private void look(ShardTable table) throws Exception {
        // from here on a mover waits for this process, whatever is read below
        this.lease.begin(table);
        ShardMap before = this.known;
        ShardMap map = (before != null) ? this.reader.changed(table, before) : this.reader.first(table);
        if (map != before) {
            this.known = map;
            changed(map);
        }
        if (this.confirmed != null) {
            this.lease.confirm(table, this.confirmed);
        }
    }

    private void changed(ShardMap map) {
        Set<String> databases = IntStream.range(0, map.shards())
            .mapToObj(map::databaseOf)
            .collect(Collectors.toCollection(TreeSet::new));
        if (this.own == null && databases.size() == 1) {
            this.own = databases.iterator().next();
        }
        if (this.own != null && databases.equals(Set.of(this.own))) {
            this.confirmed = new MapUses(map);
        }
        else {
            LOG.log(System.Logger.Level.WARNING,
                    "This process does not route, and finds no rows of the shards in other databases, and movers wait for it: "
                            + "databases={0}, version={1}; start it again with ''shardedid.databases.*''",
                    databases, Long.toString(map.version()));
        }
    }

    /** Says that this process is gone. Never throws but for an {@link Error}. */
    void end(ShardTable table) {
        this.closed = true;
        if (this.ended.isDone()) {
            return;
        }
        try {
            this.lease.leave(table);
        }
        catch (Exception ex) {
            LOG.log(System.Logger.Level.DEBUG, "The row of this process was left; its lease runs out by itself", ex);
        }
        finally {
            this.ended.complete(true);
        }
    }

    /** Lets movers know that this process is gone, if there is time. */
    @Override
    public void close() {
        if (!this.closed) {
            this.closed = true;
            this.wake.run();
            this.ended.completeOnTimeout(false, TableShardDirectory.PATIENCE.toNanos(), TimeUnit.NANOSECONDS).join();
        }
    }

}
