package io.shardedid.routing;

import java.lang.reflect.UndeclaredThrowableException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.shards.ShardUnknownException;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * {@link Shards} by the bindings of this application.
 */
final class ScopedShards implements Shards {

    /** How often all databases are read while the map keeps changing. */
    private static final int MERGES = 3;

    private final ShardBindings bindings;

    private final Supplier<ShardedIds> ids;

    private final Supplier<ShardMap> map;

    private final Supplier<PlatformTransactionManager> transactions;

    private final Function<Object, OptionalInt> shardOfRow;

    /**
     * Makes the scopes.
     * @param shardOfRow the shard of an entity; empty for anything else
     */
    ScopedShards(ShardBindings bindings, Supplier<ShardedIds> ids, Supplier<ShardMap> map,
            Supplier<PlatformTransactionManager> transactions, Function<Object, OptionalInt> shardOfRow) {
        this.bindings = bindings;
        this.ids = ids;
        this.map = map;
        this.transactions = transactions;
        this.shardOfRow = shardOfRow;
    }

    /** Returns the map where one database has all shards. */
    static ShardMap mapOfOne(String database, int shards) {
        return ShardMap.parse("0-%s: %s".formatted(shards - 1, database), shards);
    }

    @Override
    public <T> T inShardOf(long id, Supplier<T> action) {
        return in(shardOfId(id), "inShardOf(" + id + ")", action);
    }

    @Override
    public <T> T inShardFor(Object key, Supplier<T> action) {
        return in(shardOfKey(key, "inShardFor(…)"), "inShardFor(…)", action);
    }

    @Override
    public <T> T inShard(int shard, Supplier<T> action) {
        if (shard < 0 || shard >= this.ids.get().shards()) {
            throw new ShardUnknownException(
                    "Could not choose a database: shard must be in [0, %s]: shard=%s; use a shard of this layout"
                        .formatted(this.ids.get().shards() - 1, shard));
        }
        return in(shard, "inShard(" + shard + ")", action);
    }

    private <T> T in(int shard, String since, Supplier<T> action) {
        ShardBindings.Scope scope = this.bindings.open(shard, since, false);
        try {
            return action.get();
        }
        catch (RuntimeException ex) {
            throw this.bindings.failure(ex);
        }
        finally {
            scope.close();
        }
    }

    /**
     * Returns the shard of an id.
     * @throws ShardUnknownException if it has none
     */
    int shardOfId(long id) {
        try {
            return this.ids.get().shardOf(id);
        }
        catch (ShardKeyException ex) {
            throw this.bindings.nowhere(withoutShard("id", id, ex), ex);
        }
    }

    /**
     * Returns the shard of a key that is no id.
     * @throws ShardUnknownException if it is one, where there are several databases
     */
    int shardOfKey(Object key, String call) {
        try {
            return PlainKeys.shardOf(key, this.ids.get().reader(), this.bindings, call,
                    "shards.inShardOf(id, …) or @InShardOf");
        }
        catch (ShardKeyException ex) {
            throw new ShardUnknownException(withoutShard("key", key, ex), ex);
        }
    }

    private static String withoutShard(String what, Object value, ShardKeyException ex) {
        return "Could not choose a database: %s=%s has no shard: %s".formatted(what, Shown.value(value),
                Shown.line(ex.getMessage()));
    }

    @Override
    public <T> Map<String, T> inEach(Supplier<T> action) {
        return inEach("inEach(…)", action, null);
    }

    @Override
    public <T> Map<String, T> inEach(Supplier<T> action,
            BiConsumer<? super String, ? super RuntimeException> unreachable) {
        return inEach("inEach(…)", action, unreachable);
    }

    private <T> Map<String, T> inEach(String call, Supplier<T> action,
            @Nullable BiConsumer<? super String, ? super RuntimeException> unreachable) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new CrossShardException(
                    "Could not enter each database: call=shards.%s, a transaction is open, which can be in one database only; call it outside of transactions"
                        .formatted(call));
        }
        List<String> names = this.bindings.homes().names();
        names.forEach((database) -> this.bindings.checkMayOpen(database, call));
        Map<String, FutureTask<T>> tasks = new LinkedHashMap<>();
        names.forEach((database) -> tasks.put(database, new FutureTask<>(() -> in(database, call, action))));
        this.bindings.homes().sideBySide().accept(tasks.values());
        return results(tasks, unreachable);
    }

    private <T> T in(String database, String call, Supplier<T> action) {
        ShardBindings.Scope scope = this.bindings.openDatabase(database, call);
        try {
            return action.get();
        }
        finally {
            scope.close();
        }
    }

    /** Waits for all, also after a failure, so that nobody is at work afterwards. */
    private static <T> Map<String, T> results(Map<String, FutureTask<T>> tasks,
            @Nullable BiConsumer<? super String, ? super RuntimeException> unreachable) {
        Map<String, T> results = new LinkedHashMap<>();
        Map<String, RuntimeException> away = new LinkedHashMap<>();
        Throwable failure = null;
        for (Map.Entry<String, FutureTask<T>> task : tasks.entrySet()) {
            try {
                results.put(task.getKey(), uninterruptibly(task.getValue()));
            }
            catch (ExecutionException ex) {
                Throwable cause = Objects.requireNonNull(ex.getCause());
                if (unreachable != null && cause instanceof RuntimeException refusal && isUnreachable(cause)) {
                    away.put(task.getKey(), refusal);
                }
                else if (failure == null) {
                    failure = cause;
                }
                else if (failure != cause) {
                    failure.addSuppressed(cause);
                }
            }
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            // Kotlin lets an action throw any exception
            throw (failure instanceof RuntimeException refusal) ? refusal : new UndeclaredThrowableException(failure);
        }
        if (unreachable != null) {
            away.forEach(unreachable);
        }
        return results;
    }

    private static <T> T uninterruptibly(FutureTask<T> task) throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                }
                catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        }
        finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Class 08 is about connections, and 57P about servers that stop or start. */
    private static boolean isUnreachable(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                String state = (sql.getSQLState() != null) ? sql.getSQLState() : "";
                if (sql instanceof SQLTransientConnectionException || sql instanceof SQLNonTransientConnectionException
                        || state.startsWith("08") || state.startsWith("57P")) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public <T> List<T> merge(Comparator<? super T> order, int limit,
            Supplier<? extends Collection<? extends T>> first) {
        return mergeAll(order, limit, first, null);
    }

    @Override
    public <T> List<T> merge(Comparator<? super T> order, int limit, Supplier<? extends Collection<? extends T>> first,
            BiConsumer<? super String, ? super RuntimeException> unreachable) {
        return mergeAll(order, limit, first, unreachable);
    }

    private <T> List<T> mergeAll(Comparator<? super T> order, int limit,
            Supplier<? extends Collection<? extends T>> first,
            @Nullable BiConsumer<? super String, ? super RuntimeException> unreachable) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must be >= 0: limit=" + limit);
        }
        TransactionTemplate reading = reading();
        for (int attempt = 0; attempt < MERGES; attempt++) {
            ShardMap known = this.map.get();
            Map<String, RuntimeException> away = new LinkedHashMap<>();
            Map<String, Collection<? extends T>> read = inEach("merge(…)",
                    () -> reading.execute((status) -> first.get()), (unreachable != null) ? away::put : null);
            if (this.map.get().version() == known.version()) {
                if (unreachable != null) {
                    away.forEach(unreachable);
                }
                return merged(known, read, order, limit);
            }
        }
        throw new ShardMovedException(
                "Could not merge the rows of all databases: the shard map changed during each of %s reads: version=%s; repeat the call"
                    .formatted(MERGES, this.map.get().version()));
    }

    /**
     * While a shard moves, two databases have its rows, and only those of its home count.
     * Where a full page had others among them, nothing is known of what comes after it.
     */
    private <T> List<T> merged(ShardMap known, Map<String, Collection<? extends T>> read, Comparator<? super T> order,
            int limit) {
        List<T> merged = new ArrayList<>();
        List<T> ends = new ArrayList<>();
        read.forEach((database, rows) -> {
            List<? extends T> own = rows.stream().filter((row) -> isHome(known, database, row)).toList();
            merged.addAll(own);
            if (own.size() < rows.size() && rows.size() >= limit) {
                ends.add(Collections.max(rows, order));
            }
        });
        // the rows of each database are sorted already, which this sort makes use of
        merged.sort(order);
        if (!ends.isEmpty()) {
            T end = Collections.min(ends, order);
            merged.removeIf((row) -> order.compare(row, end) > 0);
        }
        return new ArrayList<>(merged.subList(0, Math.min(limit, merged.size())));
    }

    private boolean isHome(ShardMap known, String database, Object row) {
        OptionalInt shard = this.bindings.homes().several() ? this.shardOfRow.apply(row) : OptionalInt.empty();
        return shard.isEmpty() || known.databaseOf(shard.getAsInt()).equals(database);
    }

    private TransactionTemplate reading() {
        TransactionTemplate reading = new TransactionTemplate(this.transactions.get());
        reading.setReadOnly(true);
        return reading;
    }

    @Override
    public OptionalInt current() {
        Integer shard = this.bindings.shard();
        return (shard != null) ? OptionalInt.of(shard) : OptionalInt.empty();
    }

    @Override
    public ShardMap map() {
        return this.map.get();
    }

}
