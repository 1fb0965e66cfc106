package io.shardedid.routing;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdException;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.shards.ShardUnknownException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Which shard each transaction is in. A transaction is bound by the scope around it, or
 * by the first row that it touches, and stays bound until it ends; another transaction
 * that suspends it has a binding of its own. Outside of transactions only scopes bind.
 * <p>
 * A binding is to a shard. Its database is looked up when a transaction, or a statement
 * outside of transactions, takes its connection: see {@link Place}. Thread-safe.
 */
final class ShardBindings {

    /** The shard of a scope that is in a whole database. */
    static final int WHOLE_DATABASE = -1;

    /** The shard of a transaction that has only read what every database has. */
    static final int NO_SHARD_YET = -2;

    private static final Log LOG = LogFactory.getLog(ShardBindings.class);

    private final ThreadLocal<@Nullable Scope> scopes = new ThreadLocal<>();

    /** The call of a repository that this thread is in, for messages. */
    private final ThreadLocal<@Nullable Object> calls = new ThreadLocal<>();

    private final RoutingGuard guard;

    private final Homes homes;

    private final CrossShardCalls crossings;

    /** Whether the log has a value that leads to no shard. */
    private final AtomicBoolean warned = new AtomicBoolean();

    ShardBindings(RoutingGuard guard, Homes homes, CrossShardCalls crossings) {
        this.guard = guard;
        this.homes = homes;
        this.crossings = crossings;
    }

    /** Where the shards are. */
    Homes homes() {
        return this.homes;
    }

    /**
     * Notes that a statement is about a row, and binds the transaction if it is the
     * first.
     * @param what what names the row: an entity's name and its id, or a call and null
     * @throws CrossShardException if the transaction, or the scope around the call, is in
     * another shard and the guard does not allow it
     */
    void touch(int shard, Object what, @Nullable Object id) {
        touch(shard, what, id, true, false);
    }

    /**
     * Notes that a row was asked for by its id.
     * @throws CrossShardException as {@link #touch}
     */
    void ask(int shard, Object what, Object id) {
        touch(shard, what, id, true, true);
    }

    /**
     * Notes that the statements to come are about a shard, whatever their rows are.
     * @throws CrossShardException as {@link #touch}
     */
    void touchAny(int shard, Object what) {
        touch(shard, what, null, false, false);
    }

    private void touch(int shard, Object what, @Nullable Object id, boolean row, boolean asked) {
        Bound bound = bound();
        if (bound == null) {
            return;
        }
        if (bound.isOpen()) {
            bound.bind(shard, null, since(new Touch(what, id)), row);
            bound.name(what, id);
        }
        else if (bound.shard != shard) {
            checkAnother(bound, shard, new Touch(what, id), row, asked);
        }
        else if (row) {
            bound.name(what, id);
        }
        else if (bound.row) {
            bound.row = false;
            enter(bound, shard, false);
        }
    }

    /**
     * Notes that a row was read. Inside of a scope of a whole database that may be any
     * row.
     * @throws CrossShardException as {@link #touch}
     */
    void loaded(int shard, Object entity, Object id) {
        Bound bound = bound();
        if (bound != null && bound.shard != WHOLE_DATABASE) {
            touch(shard, entity, id);
        }
    }

    /**
     * Returns whether a row is the one that was named last in the shard that this thread
     * is in. Its id then need not be taken apart again, and to touch it changes nothing.
     */
    boolean isNamed(Object entity, Object id) {
        Bound bound = bound();
        return bound != null && id.equals(bound.id) && entity.equals(bound.entity);
    }

    private Object since(Touch touch) {
        Object call = this.calls.get();
        return (call != null) ? call : touch;
    }

    private void checkAnother(Bound bound, int shard, Touch touch, boolean row, boolean asked) {
        if (bound.reference) {
            // what was read so far is in every database, so its connection is left behind
            bound.bind(shard, null, since(touch), row);
            return;
        }
        String database = this.homes.databaseOf(shard);
        boolean sameDatabase = database.equals(databaseOf(bound));
        if (sameDatabase && bound.shard == NO_SHARD_YET) {
            join(bound, shard);
            bound.bind(shard, bound.isConnected() ? database : null, since(touch), row);
            enter(bound, shard, row);
            return;
        }
        if (sameDatabase && (bound.shard == WHOLE_DATABASE || this.guard == RoutingGuard.DATABASE
                || this.guard == RoutingGuard.OFF)) {
            join(bound, shard);
            enter(bound, shard, row);
            return;
        }
        Supplier<String> message = () -> "Transaction touches two %s: %s is in shard %s%s, %s since %s".formatted(
                sameDatabase ? "shards" : "databases", touch, shard, inDatabase(database), where(bound), bound.since);
        boolean refused = !sameDatabase || this.guard == RoutingGuard.SHARD;
        if (bound.firstCrossing()) {
            if (refused && asked) {
                // a request can name any id, and gets an answer that there is no such row
                this.crossings.count();
            }
            else {
                this.crossings.add(message);
            }
        }
        if (refused) {
            throw bound.refuse(new CrossShardException(
                    "%s (shardedid.routing.guard=%s); let each transaction work on one shard, or begin another one with REQUIRES_NEW"
                        .formatted(message.get(), this.guard.name().toLowerCase(Locale.ROOT)),
                    asked));
        }
        join(bound, shard);
        enter(bound, shard, row);
    }

    /**
     * Notes that an id was given for a shard key.
     * @throws ShardUnknownException if there are several databases
     */
    void keyIsId(Supplier<String> message, ShardKeyException cause) {
        if (this.homes.several()) {
            throw nowhere(message.get(), cause);
        }
        if (this.guard != RoutingGuard.OFF) {
            this.crossings.add(message);
        }
    }

    /**
     * Returns the refusal of a value that was asked for and leads to no shard. A user can
     * send many of them, so the log has one. It has none of ids that no row can have,
     * while rows may have an id with two readings.
     */
    ShardUnknownException nowhere(String message, RuntimeException cause) {
        ShardUnknownException refusal = new ShardUnknownException(message, cause, true);
        if (!RoutedSessionFactories.isNoId(refusal) && this.warned.compareAndSet(false, true)) {
            LOG.warn("No row is found by a value that leads to no shard (others are logged at DEBUG): " + message);
        }
        return refusal;
    }

    /** Logs that a row is not found, because its id leads to no shard. */
    static void findsNothing(ShardUnknownException refusal) {
        LOG.debug("No row: " + refusal.getMessage());
    }

    /** The database of a binding, by the map as it is now unless it has been taken. */
    private String databaseOf(Bound bound) {
        String taken = bound.database;
        return (taken != null) ? taken : this.homes.databaseOf(bound.shard);
    }

    private String where(Bound bound) {
        String who = (bound instanceof Scope) ? "the scope" : "the transaction";
        return (bound.shard < 0) ? "%s is in database '%s'".formatted(who, bound.database)
                : "%s is in shard %s%s".formatted(who, bound.shard, inDatabase(databaseOf(bound)));
    }

    private String inDatabase(String database) {
        return this.homes.several() ? " (" + database + ")" : "";
    }

    /**
     * Notes that a statement is about a row that every database has.
     * @throws ShardUnknownException if it writes and this is no scope of each database
     */
    void touchReference(boolean writes, String entity) {
        Bound bound = bound();
        if (writes && (bound == null || bound.shard != WHOLE_DATABASE)) {
            throw new ShardUnknownException(
                    "Could not write '%s' to one database: every database has its rows (@EveryDatabase); write it in shards.inEach(…)"
                        .formatted(entity));
        }
        if (bound != null && bound.isOpen()) {
            bound.bindToReference(this.homes, entity);
        }
    }

    /**
     * Refuses a statement that is not about reference data.
     * @throws ShardUnknownException if this thread reads no reference data now
     */
    void checkReading() {
        Scope scope = this.scopes.get();
        if (scope == null || !scope.reference) {
            throw unknown();
        }
    }

    /**
     * Returns where the statement that is next goes, and begins to use that database if
     * it was chosen by the map.
     * @return the place, which the caller closes unless a transaction has it
     * @throws ShardUnknownException if neither the transaction nor a scope knows it
     * @throws ShardMovedException if the map cannot be relied on
     */
    Place place() {
        Bound bound = bound();
        if (bound == null || bound.isOpen()) {
            String starting = this.homes.whileStarting();
            if (starting == null) {
                throw unknown();
            }
            return new Place(starting, bound, this.homes);
        }
        if (bound.reference) {
            checkReading();
        }
        String taken = bound.database;
        return (taken != null) ? new Place(taken, bound, this.homes) : Place.of(bound, this.homes);
    }

    private ShardUnknownException unknown() {
        Object call = this.calls.get();
        return new ShardUnknownException(
                "Could not choose a database: no shard is known: call=%s; give an id, the shard key, @ShardKey, or shards.inEach(…)"
                    .formatted((call != null) ? call : CrossShardCalls.site()));
    }

    /** Notes that a transaction needs one more shard to be in its database. */
    private static void join(Bound bound, int shard) {
        if (bound.connections != null && bound.shard != WHOLE_DATABASE) {
            bound.connections.join(shard);
        }
    }

    /** Lets a transaction that is bound already enter a shard. */
    private void enter(Bound bound, int shard, boolean row) {
        try {
            if (bound.connections != null && bound.shard != WHOLE_DATABASE) {
                bound.connections.enter(shard, row);
            }
        }
        catch (ShardMovedException ex) {
            hasMoved();
            throw ex;
        }
    }

    /**
     * Reads the map again, because a shard is not where it says: at once, or when the
     * transaction has ended.
     */
    void hasMoved() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            transaction().moved = true;
        }
        else {
            this.homes.refresh();
        }
    }

    /**
     * Returns what a caller gets for a failure: what the router or a fence has refused,
     * as it is, whatever sent the statement and whatever it was wrapped in.
     */
    RuntimeException failure(RuntimeException failure) {
        ShardedIdException refusal = Refusals.in(failure);
        if (refusal != null) {
            return refusal;
        }
        ShardMovedException moved = Refusals.byFence(failure);
        if (moved == null) {
            return failure;
        }
        hasMoved();
        return moved;
    }

    /** Returns the shard that this thread is in, or null if it is in none. */
    @Nullable Integer shard() {
        Bound bound = bound();
        return (bound != null) ? bound.shardOrNull() : null;
    }

    /** Returns whether a statement now would know its database by a binding. */
    boolean isBound() {
        Bound bound = bound();
        return bound != null && !bound.isOpen();
    }

    /**
     * Returns whether a statement now would know its database, and not because of
     * reference data alone.
     */
    boolean isPlaced() {
        Bound bound = bound();
        return bound != null && !bound.isOpen() && !bound.reference;
    }

    /** Returns whether statements now see all shards of a database. */
    boolean isInWholeDatabase() {
        Bound bound = bound();
        return bound != null && bound.shard == WHOLE_DATABASE;
    }

    /** The binding of the transaction, or the scope if there is no transaction. */
    private @Nullable Bound bound() {
        return TransactionSynchronizationManager.isSynchronizationActive() ? transaction() : this.scopes.get();
    }

    /** The binding of this transaction, which takes over the scope around it. */
    private Transaction transaction() {
        Transaction transaction = (Transaction) TransactionSynchronizationManager.getResource(this);
        if (transaction == null) {
            transaction = new Transaction(new TransactionConnections(this.homes));
            // first what can fail: a binding that nobody removes would stay on its
            // thread
            TransactionSynchronizationManager.registerSynchronization(transaction);
            TransactionSynchronizationManager.bindResource(this, transaction);
        }
        Scope scope = this.scopes.get();
        if (scope != null && transaction.isOpen()) {
            transaction.bind(scope.shard, (scope.shard >= 0) ? null : scope.database, scope.since, scope.row);
            transaction.reference = scope.reference;
            transaction.name(scope.entity, scope.id);
        }
        return transaction;
    }

    /** Lets a transaction that has just begun take over the scope around it. */
    void transactionBegan() {
        if (this.scopes.get() != null && TransactionSynchronizationManager.isSynchronizationActive()) {
            transaction();
        }
    }

    /**
     * Opens a scope for a shard. Inside of a transaction the transaction is bound too.
     * @param since what opens it, for messages
     * @param ahead whether it is meant for a transaction that begins next, so that the
     * present one is left alone
     * @return the scope, which the caller closes
     * @throws CrossShardException if the transaction, or the scope around, is in another
     * shard and the guard does not allow it
     */
    Scope open(int shard, Object since, boolean ahead) {
        if (!ahead) {
            touchAny(shard, since);
        }
        return new Scope(shard, null, since, ahead, false).open();
    }

    /** Opens a scope for a call that is about a row, outside of transactions. */
    Scope openForRow(int shard, Object since) {
        return new Scope(shard, null, since, false, true).open();
    }

    /** Opens a scope for a call that is about the row with an id. */
    Scope openForRow(int shard, Object since, Object entity, Object id) {
        Scope scope = openForRow(shard, since);
        scope.name(entity, id);
        return scope;
    }

    /**
     * Opens a scope for a database. No transaction may be bound yet.
     * @throws CrossShardException if one is in another database
     */
    Scope openDatabase(String database, Object since) {
        checkMayOpen(database, since);
        return new Scope(WHOLE_DATABASE, database, since, false, true).open();
    }

    /**
     * Refuses a scope for a database where another one is bound.
     * @throws CrossShardException as {@link #openDatabase}
     */
    void checkMayOpen(String database, Object since) {
        Bound bound = bound();
        if (bound != null && !bound.isOpen() && !database.equals(databaseOf(bound))) {
            throw new CrossShardException("Could not enter database '%s': call=%s, %s since %s; call it outside of them"
                .formatted(database, since, where(bound), bound.since));
        }
    }

    /** Opens a scope for reading what every database has. */
    Scope openForReference(Object since) {
        Scope scope = new Scope(NO_SHARD_YET, this.homes.home(), since, false, true);
        scope.bindToReference(this.homes, since);
        return scope.open();
    }

    /** Says which call this thread is in, and returns the one before. */
    @Nullable Object enterCall(@Nullable Object call) {
        Object before = this.calls.get();
        if (call != null) {
            this.calls.set(call);
        }
        else {
            this.calls.remove();
        }
        return before;
    }

    /** What a transaction or a scope is in. */
    abstract static class Bound {

        /** Null outside of transactions, where each statement has a connection. */
        final @Nullable TransactionConnections connections;

        int shard = NO_SHARD_YET;

        /** Null as long as the database of the shard is to be looked up. */
        @Nullable String database;

        Object since = "";

        /** Only a row or rows were named so far. */
        boolean row = true;

        /** The row of the shard that was named last, by its entity and its id. */
        @Nullable Object entity;

        @Nullable Object id;

        /** Only what every database has was read so far. */
        boolean reference;

        private boolean open = true;

        /** A statement has crossed already. */
        private boolean crossed;

        private Bound(@Nullable TransactionConnections connections) {
            this.connections = connections;
        }

        boolean isOpen() {
            return this.open;
        }

        /** Returns whether statements of a transaction have taken a database already. */
        boolean isConnected() {
            return this.connections != null && !this.connections.isEmpty();
        }

        void bind(int shard, @Nullable String database, Object since, boolean row) {
            this.open = false;
            this.reference = false;
            this.row = row;
            this.shard = shard;
            this.database = database;
            this.since = since;
        }

        /** While the application starts, all statements are for the home database. */
        void bindToReference(Homes homes, Object since) {
            bind(NO_SHARD_YET, homes.home(), since, true);
            this.reference = homes.whileStarting() == null;
        }

        void name(@Nullable Object entity, @Nullable Object id) {
            this.entity = entity;
            this.id = id;
        }

        @Nullable Integer shardOrNull() {
            return (this.shard >= 0) ? Integer.valueOf(this.shard) : null;
        }

        boolean firstCrossing() {
            boolean first = !this.crossed;
            this.crossed = true;
            return first;
        }

        CrossShardException refuse(CrossShardException refusal) {
            return refusal;
        }

    }

    /** What a row or a call is, in words that are made only when they are read. */
    private record Touch(Object what, @Nullable Object id) {

        @Override
        public String toString() {
            return (this.id != null) ? "id=%s of '%s'".formatted(Shown.value(this.id), this.what)
                    : this.what.toString();
        }

    }

    /** The binding of one transaction. */
    private final class Transaction extends Bound implements TransactionSynchronization {

        private @Nullable CrossShardException refusal;

        private boolean moved;

        /** The scope of the thread while another transaction has suspended this one. */
        private @Nullable Scope hidden;

        private Transaction(TransactionConnections connections) {
            super(connections);
        }

        @Override
        CrossShardException refuse(CrossShardException refusal) {
            this.refusal = refusal;
            return refusal;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResource(ShardBindings.this);
            Scope scope = ShardBindings.this.scopes.get();
            if (scope != null && !scope.ahead) {
                this.hidden = scope;
                ShardBindings.this.scopes.remove();
            }
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(ShardBindings.this, this);
            if (this.hidden != null) {
                ShardBindings.this.scopes.set(this.hidden);
                this.hidden = null;
            }
        }

        /** Nothing is written, also where the application has caught the refusal. */
        @Override
        public void beforeCommit(boolean readOnly) {
            if (this.refusal != null) {
                throw this.refusal;
            }
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(ShardBindings.this);
            if (this.moved) {
                ShardBindings.this.homes.refresh();
            }
        }

    }

    /** A part of the program whose statements are for one shard or database. */
    final class Scope extends Bound {

        private final boolean ahead;

        private @Nullable Scope outer;

        private Scope(int shard, @Nullable String database, Object since, boolean ahead, boolean row) {
            super(null);
            bind(shard, database, since, row);
            this.ahead = ahead;
        }

        private Scope open() {
            this.outer = ShardBindings.this.scopes.get();
            ShardBindings.this.scopes.set(this);
            return this;
        }

        /** Restores the scope around this one. */
        void close() {
            if (this.outer != null) {
                ShardBindings.this.scopes.set(this.outer);
            }
            else {
                ShardBindings.this.scopes.remove();
            }
        }

    }

}
