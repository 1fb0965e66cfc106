package io.shardedid.internal.lease.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
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
     * Settings of the server, a question for the table, two tries of three without a row,
     * a CREATE TABLE, questions for the account and for the kind, and the probe.
     */
    private static final int SETUP_STATEMENTS = 30;

    private final LeaseConnections connections;

    private final LeaseTableName name;

    private final String namespace;

    private final LeaseTableSetup setup;

    private final LeaseTimeouts timeouts;

    private final boolean awaitTable;

    private final LeaseDatabaseCheck check;

    private final BoundedCalls calls = new BoundedCalls();

    private @Nullable LeaseSession session;

    /**
     * Known from the first connection on. Written on a thread of the calls, which the
     * keeper's thread waits for.
     */
    private volatile LeaseDialect dialect = LeaseDialect.POSTGRESQL;

    private volatile boolean inMemory;

    private boolean connectedBefore;

    private boolean ready;

    private boolean warned;

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
        warnOfBorrowing();
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
        LeaseTableCheck check = new LeaseTableCheck(open, this.name);
        boolean made;
        try {
            made = this.setup.ensure(open, open::probe);
        }
        catch (ShardedIdConfigurationException ex) {
            if (!(ex.getCause() instanceof SQLException failure)) {
                // no answer of the database to a statement
                throw ex;
            }
            if (!this.dialect.missingTable(failure)) {
                check.checkKind();
            }
            // nothing of this goes away by itself
            throw new WorkerLeaseException(ex.problem().text(), false,
                    "Make the lease table ready by the script or the statement that the message names "
                            + "('shardedid.worker.lease.table'). No id was made and nothing was written.",
                    ex.getCause());
        }
        check.check();
        return made;
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
        warnOfBorrowing();
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
    public void checkSeen(int worker, Supplier<Set<String>> tokens) {
        if (this.connections instanceof LeaseBesideApplication beside && beside.view() != null) {
            beside.view().check(this.name, this.namespace, describe(), worker, tokens);
        }
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
        try {
            T result = this.calls.call("use the lease table", limit, () -> clean(() -> {
                open.checkAlone();
                return work.on(open);
            }), (late) -> {
            });
            usable = true;
            return result;
        }
        catch (SQLException ex) {
            usable = this.dialect.rolledBack(ex) || DriverFailure.LOCKED.equals(ex.getSQLState());
            throw ex;
        }
        catch (ShardedIdConfigurationException ex) {
            // the database has answered, if only by a refusal, and the connection may be
            // the application's
            usable = true;
            throw ex;
        }
        finally {
            if (!usable) {
                drop(open);
            }
            else if (!this.connections.keep()) {
                giveBack(open);
            }
        }
    }

    private LeaseSession connect() throws Exception {
        LeaseTimeouts patience = this.connectedBefore ? this.timeouts : this.timeouts.ofStart();
        // who waits for a pool keeps his place in its queue
        boolean race = this.connectedBefore && this.connections.keep();
        Duration overdue = !race ? patience.connectLimit()
                : this.check.knowsUrl() ? patience.connectOverdue() : patience.connectOverdueUnbounded();
        LeaseSession open = this.calls.race("connect to the lease table's database", patience.connectLimit(), overdue,
                () -> clean(() -> open(patience.connect())), LeaseSession::close);
        this.connectedBefore = true;
        return open;
    }

    /** Calls a driver; what it throws is without credentials, down to the last cause. */
    private <T> T clean(Callable<T> call) throws Exception {
        try {
            return call.call();
        }
        catch (Exception ex) {
            throw this.connections.credentials().without(ex);
        }
    }

    private LeaseSession open(Duration timeout) throws SQLException {
        return LeaseSession.open(this.connections.open(timeout), this.name, this.namespace, this.timeouts);
    }

    /** A call may hang on it still, so that closing it might hang too. */
    private void drop(LeaseSession broken) {
        this.session = null;
        if (!this.calls.aside(broken::abort)) {
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
            }, (late) -> {
            });
        }
        catch (Exception ex) {
            LOG.log(System.Logger.Level.DEBUG, "A connection of the lease table was not given back",
                    this.connections.credentials().without(ex));
        }
    }

    /** Only after a connection is the database known. */
    @Override
    public Durability durability() {
        return this.dialect.comparesItsClock() ? Durability.CONFIGURED : Durability.KEPT;
    }

    @Override
    public String describe() {
        return Credentials.withoutUrls(this.connections.describe());
    }

    private void warnOfBorrowing() {
        if (!this.connections.keep() && !this.warned) {
            this.warned = true;
            LOG.log(System.Logger.Level.WARNING,
                    "The lease of the worker id is renewed on connections of the application''s pool ({0}): it runs out "
                            + "while every connection is held by callers that wait for an id; give the keeper its own "
                            + "by ''shardedid.worker.lease.url''",
                    describe());
        }
    }

    @Override
    public void disconnect() {
        LeaseSession open = this.session;
        if (open != null) {
            giveBack(open);
        }
    }

    @Override
    public void close() {
        disconnect();
        this.calls.close();
    }

    /** What is done with an open session. */
    @FunctionalInterface
    interface Work<T> {

        T on(LeaseSession open) throws Exception;

    }

}
