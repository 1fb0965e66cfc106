package io.shardedid.routing;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

import io.shardedid.ShardKeyException;
import io.shardedid.hibernate.EntityShards;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardUnknownException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.NumberUtils;

/**
 * What is done around a method of a repository: it goes to the shard that its arguments
 * lead to. A method with ids or rows of several databases is called once for each
 * database.
 */
final class RepositoryCall {

    /** What a method is called with. */
    enum Argument {

        /** An id. */
        ID,

        /** Ids. */
        IDS,

        /** Rows. */
        ROWS,

        /** The shard key. */
        KEY,

        /** Shard keys. */
        KEYS,

        /** An id of any entity, or a row. */
        ID_OR_ROW,

        /** Nothing that leads to a shard. */
        NONE

    }

    /** What a method does with what it is called with. */
    enum Kind {

        /** No query: a session answers it, or the method has more than one statement. */
        OTHER,

        /** A query whose results of several databases can be put together. */
        QUERY,

        /** A query whose result is that of one database, or none. */
        QUERY_OF_ONE

    }

    /** Methods that are no query, and only read the rows whose ids they are given. */
    private static final Set<String> READS = Set.of("findById", "existsById", "findAllById");

    private final String call;

    private final Argument argument;

    private final int index;

    private final @Nullable EntityShards entities;

    private final Class<?> domain;

    /** What names its rows: the root of the hierarchy of the domain class. */
    private final String root;

    private final Kind kind;

    RepositoryCall(String call, Argument argument, int index, @Nullable EntityShards entities, Class<?> domain) {
        this(call, argument, index, entities, domain, Kind.OTHER);
    }

    RepositoryCall(String call, Argument argument, int index, @Nullable EntityShards entities, Class<?> domain,
            Kind kind) {
        this.call = call;
        this.argument = argument;
        this.index = index;
        this.entities = entities;
        this.domain = domain;
        this.root = (entities != null) ? entities.rootOf(domain.getName()) : domain.getName();
        this.kind = kind;
    }

    /** The repository and the method, for messages. */
    String name() {
        return this.call;
    }

    @Nullable Object invoke(MethodInvocation invocation, ShardBindings bindings) throws Throwable {
        EntityShards known = this.entities;
        if (known == null) {
            return invocation.proceed();
        }
        if (this.argument == Argument.NONE) {
            return known.sharded(this.domain.getName()) ? invocation.proceed()
                    : proceedWithReference(invocation, bindings);
        }
        Object value = invocation.getArguments()[this.index];
        if (value == null) {
            // the repository says what is wrong
            return invocation.proceed();
        }
        if (this.argument == Argument.IDS || this.argument == Argument.KEYS || this.argument == Argument.ROWS) {
            if (isQuery() && bindings.isInWholeDatabase()) {
                // as any other query there, it sees all shards
                return invocation.proceed();
            }
            return proceedWithAll((Iterable<?>) value, (ProxyMethodInvocation) invocation, bindings, known);
        }
        OptionalInt shard;
        try {
            shard = shardOf(value, known, bindings);
        }
        catch (ShardUnknownException ex) {
            if (this.argument != Argument.ID || !findsNothing(ex, invocation.getMethod())) {
                throw ex;
            }
            return proceedWithoutRow(ex, invocation, bindings);
        }
        return shard.isPresent() ? proceedIn(shard.getAsInt(), value, invocation, bindings) : invocation.proceed();
    }

    private static boolean isScalar(Object value) {
        return value instanceof Number || value instanceof UUID || value instanceof CharSequence;
    }

    private boolean isQuery() {
        return this.kind != Kind.OTHER;
    }

    /**
     * Returns whether a method finds nothing by an id that leads to no shard. If a row
     * may have that id, only a method that reads does.
     */
    private boolean findsNothing(ShardUnknownException refusal, Method method) {
        String name = method.getName();
        boolean reads = isQuery() ? !name.startsWith("delete") && !name.startsWith("remove") : READS.contains(name);
        return RoutedSessionFactories.isNoId(refusal) || reads && refusal.hidesRow();
    }

    /**
     * Nothing is found: a session knows that by itself, and a query finds nothing in any
     * database.
     */
    private @Nullable Object proceedWithoutRow(ShardUnknownException refusal, MethodInvocation invocation,
            ShardBindings bindings) throws Throwable {
        if (isQuery()) {
            ShardBindings.findsNothing(refusal);
            return proceedWithReference(invocation, bindings);
        }
        return invocation.getMethod().getName().equals("existsById") ? Boolean.valueOf(false) : invocation.proceed();
    }

    private OptionalInt shardOf(Object value, EntityShards known, ShardBindings bindings) {
        try {
            return switch (this.argument) {
                case ID, IDS -> known.shardOfId(this.domain.getName(), value);
                case KEY, KEYS ->
                    (known.keyPath(this.domain.getName()) != null) ? known.shardOfKey(this.domain.getName(), value)
                            : OptionalInt.of(PlainKeys.shardOf(value, known.reader(), bindings, this.call, "@ShardOf"));
                case ROWS -> known.shardOfRow(value);
                case ID_OR_ROW -> {
                    if (value instanceof Number id) {
                        yield OptionalInt.of(known.reader().shardOf(id.longValue()));
                    }
                    OptionalInt ofRow = known.shardOfRow(value);
                    yield ofRow.isPresent() ? ofRow : known.shardOfId(this.domain.getName(), value);
                }
                case NONE -> OptionalInt.empty();
            };
        }
        catch (ShardKeyException | NumberFormatException ex) {
            if (!bindings.homes().several()) {
                // there is nothing to choose
                return OptionalInt.empty();
            }
            String message = "Could not choose a database: argument %s has no shard: call=%s: %s; open a scope by the shard key: shards.inShardFor(key, …)"
                .formatted(Shown.value(value), this.call, Shown.line(ex.getMessage()));
            throw isAsked(value) ? bindings.nowhere(message, ex) : new ShardUnknownException(message, ex);
        }
    }

    /** Returns whether a value may come from a user as it is, and not with a row. */
    private boolean isAsked(Object value) {
        return this.argument == Argument.ID || this.argument == Argument.IDS || isScalar(value);
    }

    private @Nullable Object proceedIn(int shard, Object value, MethodInvocation invocation, ShardBindings bindings)
            throws Throwable {
        if (!bindings.homes().several() || TransactionSynchronizationManager.isSynchronizationActive()) {
            touch(shard, value, bindings);
            return invocation.proceed();
        }
        if (bindings.isBound()) {
            touch(shard, value, bindings);
        }
        return proceedIn(switch (this.argument) {
            case KEY -> bindings.open(shard, this.call, false);
            case ID -> bindings.openForRow(shard, this.call, this.root, value);
            default -> bindings.openForRow(shard, this.call);
        }, invocation);
    }

    private void touch(int shard, Object value, ShardBindings bindings) {
        if (this.argument == Argument.KEY || this.argument == Argument.KEYS) {
            bindings.touchAny(shard, new Named(value, this.domain));
        }
        else if (this.argument == Argument.ROWS) {
            bindings.touch(shard, new Named(null, this.domain), null);
        }
        else if (isScalar(value)) {
            bindings.ask(shard, this.root, value);
        }
        else {
            bindings.touch(shard, this.root, value);
        }
    }

    private @Nullable Object proceedWithReference(MethodInvocation invocation, ShardBindings bindings)
            throws Throwable {
        if (!bindings.homes().several() || bindings.isPlaced()) {
            return invocation.proceed();
        }
        bindings.touchReference(false, this.call);
        return proceedIn(bindings.openForReference(this.call), invocation);
    }

    /** Calls the method once for each database, or checks all shards if it cannot. */
    private @Nullable Object proceedWithAll(Iterable<?> values, ProxyMethodInvocation invocation,
            ShardBindings bindings, EntityShards known) throws Throwable {
        if (!bindings.homes().several()) {
            return invocation.proceed();
        }
        List<Object> possible = new ArrayList<>();
        int given = 0;
        for (Object value : values) {
            given++;
            // nothing equals null
            if ((value != null || !isQuery())
                    && (this.argument != Argument.IDS || isPossible(value, known, invocation.getMethod(), bindings))) {
                possible.add(value);
            }
        }
        if (possible.isEmpty() && isQuery()) {
            return proceedWithReference(invocation, bindings);
        }
        if (possible.size() == given) {
            return proceedWithRows(possible, invocation, bindings, known);
        }
        if (possible.isEmpty()) {
            return List.class.isAssignableFrom(invocation.getMethod().getReturnType()) ? new ArrayList<>() : null;
        }
        return proceedWithRows(possible, with(possible, invocation), bindings, known);
    }

    /** Returns the same call with some of its values. */
    private ProxyMethodInvocation with(List<Object> values, ProxyMethodInvocation invocation) {
        @Nullable Object[] arguments = invocation.getArguments().clone();
        arguments[this.index] = invocation.getMethod().getParameterTypes()[this.index].isInstance(values) ? values
                : new LinkedHashSet<>(values);
        return (ProxyMethodInvocation) invocation.invocableClone(arguments);
    }

    /** Returns whether a method may find a row by an id. */
    private boolean isPossible(Object id, EntityShards known, Method method, ShardBindings bindings) {
        try {
            shardOf(id, known, bindings);
            return true;
        }
        catch (ShardUnknownException ex) {
            if (findsNothing(ex, method)) {
                ShardBindings.findsNothing(ex);
                return false;
            }
            throw ex;
        }
    }

    private @Nullable Object proceedWithRows(Iterable<?> values, ProxyMethodInvocation invocation,
            ShardBindings bindings, EntityShards known) throws Throwable {
        boolean bound = TransactionSynchronizationManager.isSynchronizationActive() || bindings.isBound();
        // all groups go by one map
        ShardMap map = bound ? null : bindings.homes().mapOfSeveral();
        Map<Object, List<Integer>> groups = new LinkedHashMap<>();
        List<Object> all = new ArrayList<>();
        Set<OptionalInt> shards = new HashSet<>();
        for (Object value : values) {
            OptionalInt shard = shardOf(value, known, bindings);
            shards.add(shard);
            if (bound && shard.isPresent()) {
                touch(shard.getAsInt(), value, bindings);
            }
            // a row without a key has no shard yet, so it goes by itself
            Object group = (map != null && shard.isPresent()) ? map.databaseOf(shard.getAsInt())
                    : Integer.valueOf(all.size());
            groups.computeIfAbsent(group, (database) -> new ArrayList<>()).add(all.size());
            all.add(value);
        }
        if (bound || groups.isEmpty()) {
            return invocation.proceed();
        }
        OptionalInt first = shards.iterator().next();
        if (shards.size() == 1 && first.isPresent()) {
            return proceedIn((this.argument == Argument.KEYS) ? bindings.open(first.getAsInt(), this.call, false)
                    : bindings.openForRow(first.getAsInt(), this.call), invocation);
        }
        if (groups.size() == 1 && groups.keySet().iterator().next() instanceof String database) {
            return proceedIn(bindings.openDatabase(database, this.call), invocation);
        }
        if (this.kind == Kind.QUERY_OF_ONE) {
            throw new CrossShardException(
                    ("Could not query several databases: call=%s, databases=%s (only lists, sets, counts and 'exists' of derived "
                            + "queries are put together, and only without order, limit and 'Distinct'); call it in "
                            + "shards.merge(order, limit, …), or for each database")
                        .formatted(this.call, new TreeSet<>(groups.keySet())));
        }
        return proceedInGroups(groups, all, invocation, bindings);
    }

    private @Nullable Object proceedInGroups(Map<Object, List<Integer>> groups, List<Object> all,
            ProxyMethodInvocation invocation, ShardBindings bindings) throws Throwable {
        @Nullable Object[] ordered = new @Nullable Object[all.size()];
        @Nullable Object together = null;
        for (Map.Entry<Object, List<Integer>> group : groups.entrySet()) {
            MethodInvocation one = with(group.getValue().stream().map(all::get).toList(), invocation);
            Object result = (group.getKey() instanceof String database)
                    ? proceedIn(bindings.openDatabase(database, this.call), one) : one.proceed();
            if (this.argument == Argument.ROWS && result instanceof List<?> rows) {
                for (int i = 0; i < rows.size(); i++) {
                    ordered[group.getValue().get(i)] = rows.get(i);
                }
            }
            together = together(together, result);
        }
        // the rows that were saved come in the order of those that were given
        return (this.argument == Argument.ROWS && together != null)
                ? Collections.unmodifiableList(Arrays.asList(ordered)) : together;
    }

    private static @Nullable Object together(@Nullable Object one, @Nullable Object other) {
        if (one == null || other == null) {
            return (one != null) ? one : other;
        }
        if (one instanceof Collection<?> rows) {
            Collection<Object> all = (one instanceof Set) ? new LinkedHashSet<>(rows) : new ArrayList<>(rows);
            all.addAll((Collection<?>) other);
            return all;
        }
        if (one instanceof Boolean found) {
            return found || (Boolean) other;
        }
        long sum = Math.addExact(((Number) one).longValue(), ((Number) other).longValue());
        return NumberUtils.convertNumberToTargetClass(sum, ((Number) one).getClass());
    }

    private static @Nullable Object proceedIn(ShardBindings.Scope scope, MethodInvocation invocation) throws Throwable {
        try {
            return invocation.proceed();
        }
        finally {
            scope.close();
        }
    }

    /**
     * A shard key or a row, in words that are made only when they are read. A key may be
     * an address, which does not belong into a log.
     */
    private record Named(@Nullable Object key, Class<?> domain) {

        @Override
        public String toString() {
            return (this.key != null)
                    ? "a shard key (%s) of '%s'".formatted(this.key.getClass().getSimpleName(), this.domain.getName())
                    : "a row of '%s'".formatted(this.domain.getName());
        }

    }

}
