package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.shardedid.MessageText;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.StoreChange;
import io.shardedid.internal.lease.Durability;

/**
 * Another store than a database, for an application that has a database. The start looks
 * into the lease table of that database: two stores that are leased from at once make
 * duplicate ids, and a store that begins anew beside a table with rows does, too.
 *
 * <p>
 * A table that does not exist is none, and one that cannot be read for a reason that
 * lasts (a missing right, a refused login) is named by a warning. A database that cannot
 * be reached may be reached by others: the start tries again until its timeout, and fails
 * then.
 */
final class StoreBesideTable implements LeaseStore {

    /** What to type; also the pages and the inspector name it. */
    private static final String COMMAND = "java -cp CLASSPATH io.shardedid.cli.Inspector move-leases --old=OLD.properties "
            + "--config=NEW.properties";

    private static final System.Logger LOG = System.getLogger(StoreBesideTable.class.getName());

    private final LeaseStore store;

    private final LeaseConnections database;

    private final String namespace;

    StoreBesideTable(LeaseStore store, LeaseConnections database, String namespace) {
        this.store = store;
        this.database = database.keep() ? database : new ForOneLook(database);
        this.namespace = namespace;
    }

    @Override
    public void ensure() {
        this.store.ensure();
        LeaseReply.Rows table = table();
        LeaseRow leased = StoreChange.leased(table).orElse(null);
        if (leased != null) {
            throw new WorkerLeaseException(
                    ("Could not use the store of the leases: store=%s, while the lease table of the application's "
                            + "database shows a lease that has not run out: table=%s, connection=%s, namespace='%s', "
                            + "worker id=%s, owner=%s, until=%s (leases of two stores make duplicate ids); give all processes "
                            + "the same 'shardedid.worker.lease.store', or stop that one and move the leases: %s")
                        .formatted(this.store.describe(), LeaseTableName.DEFAULT, describeDatabase(), this.namespace,
                                leased.worker(), leased.shownOwner(), Instant.ofEpochMilli(leased.leaseUntilMillis()),
                                COMMAND),
                    true,
                    "Give all processes of the application the same 'shardedid.worker.lease.store', or stop all of "
                            + "them and move the leases as "
                            + MessageText.page("docs/lease-table.md#from-one-store-to-another") + " says.",
                    null);
        }
        if (!table.rows().isEmpty() && empty()) {
            throw new ShardedIdConfigurationException(
                    ("Could not use the store of the leases: store=%s has no rows of namespace '%s', while the "
                            + "lease table of the application's database has some: table=%s, connection=%s, rows=%s, "
                            + "highest hwm_tick=%s (ids below that mark would be made again)")
                        .formatted(this.store.describe(), this.namespace, LeaseTableName.DEFAULT, describeDatabase(),
                                table.rows().size(),
                                table.rows().stream().mapToLong(LeaseRow::hwmTick).max().orElseThrow()),
                    "stop all processes, and move the leases: %s".formatted(COMMAND));
        }
    }

    private boolean empty() {
        LeaseReply reply = this.store.execute(new LeaseStatement.ReadOne(LeaseRow.LAYOUT));
        if (reply instanceof LeaseReply.Rows rows) {
            return rows.rows().isEmpty();
        }
        Exception cause = (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null;
        throw new WorkerLeaseException("Could not reach the store of the leases: store=%s (%s); start it"
            .formatted(this.store.describe(), cause), cause);
    }

    private LeaseReply.Rows table() {
        LeaseReply reply;
        try (LeaseStore table = new SqlLeaseTable(this.database, LeaseTableName.DEFAULT, this.namespace,
                SchemaInitialization.NEVER, LeaseTimeouts.DEFAULT)) {
            reply = table.execute(new LeaseStatement.ReadAll());
        }
        if (reply instanceof LeaseReply.Rows rows) {
            return rows;
        }
        if (reply instanceof LeaseReply.Unknown unknown && !missing(unknown.cause())) {
            if (DriverFailure.isTransient(unknown.cause())) {
                throw new WorkerLeaseException(
                        ("Could not find out whether leases are taken from the application's database, too: table=%s, "
                                + "connection=%s, namespace='%s' (%s); start that database")
                            .formatted(LeaseTableName.DEFAULT, describeDatabase(), this.namespace,
                                    LeaseTableSetup.oneLine(unknown.cause())),
                        unknown.cause());
            }
            LOG.log(System.Logger.Level.WARNING,
                    "The lease table of the application''s database could not be read: table={0}, connection={1} ({2}). "
                            + "The start goes on; give all processes the same ''shardedid.worker.lease.store''",
                    LeaseTableName.DEFAULT, describeDatabase(), LeaseTableSetup.oneLine(unknown.cause()));
        }
        return new LeaseReply.Rows(0, List.of());
    }

    private static boolean missing(Exception cause) {
        return cause instanceof SQLException ex && Stream.of(LeaseDialect.values())
            .filter((dialect) -> dialect != LeaseDialect.GENERIC)
            .anyMatch((dialect) -> dialect.missingTable(ex) && !dialect.missingRight(ex));
    }

    private String describeDatabase() {
        return Credentials.withoutUrls(this.database.describe());
    }

    /**
     * A failure of the database passes by the words of its driver, one of the store by
     * those of its client.
     */
    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return failure.getCause() instanceof Exception cause && DriverFailure.isTransient(cause)
                || this.store.isTransient(failure);
    }

    @Override
    public Durability durability() {
        return this.store.durability();
    }

    @Override
    public String describe() {
        return this.store.describe();
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        return this.store.execute(statement);
    }

    @Override
    public void disconnect() {
        this.store.disconnect();
    }

    @Override
    public void close() {
        this.store.close();
    }

    /** A connection of the application's pool, given back after the look. */
    private record ForOneLook(LeaseConnections pool) implements LeaseConnections {

        @Override
        public Connection open(Duration timeout) throws SQLException {
            return this.pool.open(timeout);
        }

        @Override
        public boolean keep() {
            return true;
        }

        @Override
        public String describe() {
            return this.pool.describe();
        }

    }

}
