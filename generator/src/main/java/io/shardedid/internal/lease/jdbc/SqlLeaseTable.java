package io.shardedid.internal.lease.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import org.jspecify.annotations.Nullable;

/**
 * The lease table in a database, by plain JDBC. A connection is noticed to be broken by
 * the failure of a statement and is replaced for the next one; none is validated before.
 * One round trip a statement.
 */
final class SqlLeaseTable implements LeaseStore {

    private static final System.Logger LOG = System.getLogger(SqlLeaseTable.class.getName());

    /**
     * Settings of the server, and, before and after a CREATE TABLE, a question for the
     * kind, the probe and a question for the rows.
     */
    private static final int SETUP_STATEMENTS = 30;

    private static final String CONNECT = "connect to the lease table's database";

    /** How long a pool with a free connection takes at most. */
    private static final long GRACE_NANOS = Duration.ofMillis(250).toNanos();

    private final LeaseConnections connections;

    private final LeaseTableName name;

    private final String namespace;

    private final LeaseTableSetup setup;

    private final LeaseTimeouts timeouts;

    private final boolean awaitTable;

    private final LeaseDatabaseCheck check;

    private final BoundedCalls calls = new BoundedCalls();

    private @Nullable LeaseSession session;

    /** Written by the keeper's thread, and read by callers. */
    private volatile @Nullable Place place;

    /**
     * Known from the first connection on. Written on a thread of the calls, which the
     * keeper's thread waits for.
     */
    private volatile LeaseDialect dialect = LeaseDialect.POSTGRESQL;

    private volatile boolean inMemory;

    private boolean connectedBefore;

    private boolean ready;

    SqlLeaseTable(LeaseConnections connections, LeaseTableName name, String namespace,
            SchemaInitialization initialization, LeaseTimeouts timeouts) {
        this(connections, name, namespace, initialization, timeouts, false, false);
    }

    SqlLeaseTable(LeaseConnections connections, LeaseTableName name, String namespace,
            SchemaInitialization initialization, LeaseTimeouts timeouts, boolean tolerateLostCommits,
            boolean awaitTable) {
        this.connections = connections;
        this.name = name;
        this.namespace = namespace;
        this.timeouts = timeouts;
        this.awaitTable = awaitTable;
        this.check = new LeaseDatabaseCheck(connections, tolerateLostCommits);
        this.setup = new LeaseTableSetup(LeaseTableSetup.LEASES, name, initialization);
    }

    @Override
    public void ensure() {
        try {
            within(this.timeouts.answerLimit().multipliedBy(SETUP_STATEMENTS), (open) -> {
                this.dialect = open.sql().dialect();
                this.check.check(open, this.timeouts.connect());
                ensureTable(open);
                this.inMemory = inMemory(open);
                return true;
            });
            this.ready = true;
        }
        catch (WorkerLeaseException | ShardedIdConfigurationException ex) {
            throw ex;
        }
        catch (Exception ex) {
            throw new WorkerLeaseException("Could not reach the lease table: table=%s, connection=%s (%s); %s"
                .formatted(this.name, describe(), LeaseTableSetup.oneLine(ex), DriverFailure.remedy(ex)), ex);
        }
    }

    private boolean ensureTable(LeaseSession open) throws SQLException {
        try {
            return this.setup.ensure(open, new LeaseTableCheck(open, this.name)::check);
        }
        catch (ShardedIdConfigurationException ex) {
            if (!(ex.getCause() instanceof SQLException failure)) {
                // no answer of the database to a statement
                throw ex;
            }
            // nothing of this goes away by itself
            throw new WorkerLeaseException(ex.problem().text(), false,
                    "Make the lease table ready by the script or the statement that the message names "
                            + "('shardedid.worker.lease.table'). No id was made and nothing was written.",
                    failure);
        }
    }

    @Override
    public boolean reachedByThisProcessAlone() {
        return this.inMemory;
    }

    /** By what the driver says, which shows through any wrapper. */
    private static boolean inMemory(LeaseSession open) throws SQLException {
        String url = String.valueOf(open.connection().getMetaData().getURL());
        return url.startsWith("jdbc:h2:mem:") || url.startsWith("jdbc:hsqldb:mem:");
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return failure.getCause() instanceof Exception cause && (DriverFailure.isTransient(cause)
                || this.awaitTable && cause instanceof SQLException ex && this.dialect.missingTable(ex));
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        try {
            Optional<LeaseReply> reply = within(this.timeouts.answerLimit(), (open) -> answered(open, statement));
            return reply.isPresent() ? reply.get() : answeredAgain(statement);
        }
        catch (Exception ex) {
            return new LeaseReply.Unknown(ex);
        }
    }

    /**
     * Returns the reply, or nothing if a read finds no table. Each round of the protocol
     * begins by a read; a write that finds no table may be the last one of a process,
     * which needs no table afterwards.
     */
    private Optional<LeaseReply> answered(LeaseSession open, LeaseStatement statement) throws SQLException {
        try {
            return Optional.of(open.execute(statement));
        }
        catch (SQLException ex) {
            boolean reads = statement instanceof LeaseStatement.ReadAll || statement instanceof LeaseStatement.ReadOne;
            if (this.ready && reads && open.sql().dialect().missingTable(ex)) {
                return Optional.empty();
            }
            throw ex;
        }
    }

    /**
     * Makes a table that is gone while the process runs, if a start would make it, and
     * says what is missing otherwise. The read finds no row of the lease then, which the
     * protocol takes for a row that was deleted: the process begins anew where its ticks
     * end.
     */
    private LeaseReply answeredAgain(LeaseStatement read) throws Exception {
        return within(this.timeouts.answerLimit().multipliedBy(SETUP_STATEMENTS), (open) -> {
            if (ensureTable(open)) {
                LOG.log(System.Logger.Level.WARNING,
                        "The lease table was gone while this process ran, and was made again: table={0}, connection={1}, "
                                + "shardedid.worker.lease.initialize-schema={2}; find out who drops it: nobody may do that "
                                + "while a process runs",
                        this.name, describe(), this.setup.initialization().name().toLowerCase(Locale.ROOT));
            }
            return open.execute(read);
        });
    }

    @Override
    public boolean checkSeen(int worker, Supplier<Set<String>> tokens) {
        ApplicationView view = (this.connections instanceof LeaseBesideApplication beside) ? beside.view() : null;
        return view == null || view.check(this.name, this.namespace, describe(), worker, tokens);
    }

    /**
     * Does work beside the leases on the connection of the table.
     * @param statements how many statements the work sends at most
     */
    <T> T beside(int statements, Work<T> work) throws Exception {
        return within(this.timeouts.answerLimit().multipliedBy(statements), work);
    }

    /** Makes a table in the same schema by the same rule. */
    LeaseTableSetup setupBeside(TableScript table) {
        return new LeaseTableSetup(table, this.name.beside(table.table()), this.setup.initialization());
    }

    private <T> T within(Duration limit, Work<T> work) throws Exception {
        LeaseSession open = (this.session != null) ? this.session : connect();
        this.session = open;
        boolean usable = false;
        boolean hangs = false;
        try {
            T result = this.calls.call("use the lease table", limit, () -> {
                open.checkAlone();
                return work.on(open);
            });
            usable = true;
            return result;
        }
        catch (SQLException ex) {
            usable = this.dialect.rolledBack(ex) || DriverFailure.LOCKED.equals(ex.getSQLState());
            hangs = ex instanceof BoundedCalls.Unanswered;
            throw ex;
        }
        catch (ShardedIdConfigurationException ex) {
            // the database has answered, if only by a refusal
            usable = true;
            if (this.connections.sharedWithCallers()) {
                giveBack(open);
            }
            throw ex;
        }
        finally {
            if (!usable) {
                drop(open, hangs);
            }
        }
    }

    private LeaseSession connect() throws Exception {
        LeaseTimeouts patience = this.connectedBefore ? this.timeouts : this.timeouts.ofStart();
        LeaseSession open;
        if (this.connections.sharedWithCallers()) {
            open = served(patience);
        }
        else {
            Duration overdue = this.connectedBefore ? patience.connectOverdue() : patience.connectLimit();
            open = this.calls.race(CONNECT, patience.connectLimit(), overdue, () -> open(patience.connect()),
                    LeaseSession::close);
        }
        this.connectedBefore = true;
        return open;
    }

    /** Waits in the queue of a pool, and keeps the place when the wait is over. */
    private LeaseSession served(LeaseTimeouts patience) throws Exception {
        Place mine = this.place;
        if (mine == null) {
            mine = new Place(this.calls.begin(CONNECT, () -> open(patience.connect())), TimeSource.system().nanoTime());
            this.place = mine;
        }
        boolean keeps = false;
        try {
            return this.calls.await(CONNECT, mine.session(), patience.connectLimit());
        }
        catch (BoundedCalls.Unanswered ex) {
            keeps = true;
            throw ex;
        }
        finally {
            this.place = keeps ? mine : null;
        }
    }

    @Override
    public boolean waitsForCallers() {
        Place waiting = this.place;
        return waiting != null && TimeSource.system().nanoTime() - waiting.sinceNanos() >= GRACE_NANOS;
    }

    private LeaseSession open(Duration timeout) throws SQLException {
        return LeaseSession.open(this.connections, timeout, this.name, this.namespace, this.timeouts);
    }

    /**
     * A call may hang on it still, so that closing it might hang too. A pool wants back
     * what does not hang.
     */
    private void drop(LeaseSession broken, boolean hangs) {
        this.session = null;
        boolean ends = hangs || !this.connections.sharedWithCallers();
        if (!this.calls.aside(ends ? broken::abort : broken::close)) {
            LOG.log(System.Logger.Level.WARNING,
                    "A broken connection of the lease table was left open: {0} (earlier calls still hang in the driver)",
                    describe());
        }
    }

    private void giveBack(LeaseSession borrowed) {
        this.session = null;
        try {
            this.calls.call("give a connection back", this.timeouts.answerLimit(), () -> {
                borrowed.close();
                return true;
            });
        }
        catch (Exception ex) {
            LOG.log(System.Logger.Level.DEBUG, "A connection of the lease table was not given back", ex);
        }
    }

    /** Only after a connection is the database known. */
    @Override
    public Durability durability() {
        return this.dialect.comparesItsClock() ? Durability.CONFIGURED : Durability.KEPT;
    }

    @Override
    public String describe() {
        return this.connections.describe();
    }

    @Override
    public void disconnect() {
        Place left = this.place;
        if (left != null) {
            this.place = null;
            left.session().thenAcceptAsync(LeaseSession::close, this::aside);
        }
        LeaseSession open = this.session;
        if (open != null) {
            giveBack(open);
        }
    }

    /** On the calls' own threads, also where they take no more calls: then it is one. */
    private void aside(Runnable closing) {
        if (!this.calls.aside(closing)) {
            closing.run();
        }
    }

    @Override
    public void close() {
        disconnect();
        this.calls.close();
    }

    /**
     * A place in the queue of a pool.
     *
     * @param session the session that comes of it
     * @param sinceNanos since when
     */
    private record Place(CompletableFuture<LeaseSession> session, long sinceNanos) {
    }

    @FunctionalInterface
    interface Work<T> {

        T on(LeaseSession open) throws Exception;

    }

}
