package io.shardedid.move;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationStream;

/**
 * The ids of all rows of the moving shards that were written at the source, in the order
 * of the commits. A slot of its own tells them, which ends with the connection. A thread
 * reads it all the time, because the server ends a connection that does not answer.
 * Thread-safe.
 */
class ChangedRows implements AutoCloseable {

    private static final long NAP_NANOS = 2_000_000;

    private static final int STATUS_SECONDS = 10;

    private final MoveContext context;

    private final Connection connection;

    private final PGReplicationStream stream;

    private final PgOutput output;

    private final Thread reader = new Thread(this::read, "shardedid-move-changes");

    private final String marks;

    private final int most;

    private Map<String, Set<Long>> ids = new HashMap<>();

    private int number;

    /** The last mark of this mover that has come by. */
    private int mark;

    private @Nullable Exception failure;

    private volatile boolean closed;

    private ChangedRows(MoveContext context, String publication, String marks, int most, Connection connection)
            throws SQLException {
        this.context = context;
        this.connection = connection;
        this.marks = marks;
        this.most = most;
        Map<String, List<String>> wanted = new HashMap<>(Map.of(marks, List.of("mover", "attempt")));
        context.tables().forEach((table) -> wanted.put(table.name(), List.of(table.id())));
        this.output = new PgOutput(wanted, this::add);
        PGConnection server = connection.unwrap(PGConnection.class);
        String slot = "%s%s_%s".formatted(slots(publication), context.state().mover(), server.getBackendPID());
        server.getReplicationAPI()
            .createReplicationSlot()
            .logical()
            .withSlotName(slot)
            .withOutputPlugin("pgoutput")
            .withTemporaryOption()
            .make();
        this.stream = server.getReplicationAPI()
            .replicationStream()
            .logical()
            .withSlotName(slot)
            .withSlotOption("proto_version", PgOutput.VERSION)
            .withSlotOption("publication_names", publication)
            .withStatusInterval(STATUS_SECONDS, TimeUnit.SECONDS)
            .start();
        this.reader.setDaemon(true);
        this.reader.start();
    }

    /**
     * Begins with the transactions that commit from now on. Waits until those have ended
     * that have written by now, in any database of the source's server.
     * @param publication what the source publishes
     * @param most how many ids are kept until they are taken
     */
    static ChangedRows open(MoveContext context, String publication, int most) throws SQLException {
        String marks = context.source()
            .text("SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                    + "WHERE c.oid = to_regclass(?)", context.source().own("shardedid_mark"));
        Connection connection = Session.replication(context.databases(), context.state().source(),
                context.limits().patience());
        try {
            return new ChangedRows(context, publication, marks, most, connection);
        }
        catch (SQLException | RuntimeException ex) {
            abort(connection);
            throw ex;
        }
    }

    /**
     * How the names of slots begin, before the token of the mover. Movers drop slots that
     * begin with the name of the move, and these end by themselves.
     */
    static String slots(String publication) {
        return "changes_%s_".formatted(publication);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        }
        catch (SQLException ex) {
            // it is gone
        }
    }

    private void read() {
        try {
            while (!this.closed) {
                ByteBuffer message = this.stream.readPending();
                if (message != null) {
                    this.output.read(message);
                    this.stream.setFlushedLSN(this.stream.getLastReceiveLSN());
                    this.stream.setAppliedLSN(this.stream.getLastReceiveLSN());
                }
                else {
                    this.context.time().park(NAP_NANOS);
                }
            }
        }
        catch (SQLException | RuntimeException ex) {
            fail(ex);
        }
    }

    private synchronized void fail(Exception ex) {
        this.failure = ex;
        this.ids = new HashMap<>();
    }

    private synchronized void add(String table, @Nullable String[] values) {
        if (table.equals(this.marks)) {
            if (String.valueOf(this.context.state().mover()).equals(values[0])) {
                this.mark = Math.max(this.mark, Integer.parseInt(String.valueOf(values[1])));
            }
        }
        else if (values[0] == null) {
            throw new IllegalStateException("A row has no id: table=" + table);
        }
        else if (this.ids.computeIfAbsent(table, (name) -> new HashSet<>()).add(Long.valueOf(values[0]))) {
            this.number++;
            if (this.number > this.most) {
                throw new IllegalStateException("More than %s rows were written".formatted(this.most));
            }
        }
    }

    /**
     * Returns the ids that came since the last call, by their tables.
     * @throws LostException if some may be missing
     */
    synchronized Map<String, Set<Long>> take() throws LostException {
        check();
        Map<String, Set<Long>> taken = this.ids;
        this.ids = new HashMap<>();
        this.number = 0;
        return taken;
    }

    private synchronized void check() throws LostException {
        if (this.failure != null) {
            throw new LostException(this.failure);
        }
    }

    /** Waits until all changes before a mark of this mover have come. */
    void await(int number, Duration limit) throws SQLException {
        long began = this.context.time().nanoTime();
        while (seen() < number) {
            check();
            if (this.context.time().nanoTime() - began > limit.toNanos()) {
                throw new MoveContext.PauseSpent(this.context.shards(), "the slot of the changes is behind");
            }
            this.context.time().park(NAP_NANOS);
        }
    }

    private synchronized int seen() {
        return this.mark;
    }

    /** The slot ends with its connection. */
    @Override
    public void close() {
        this.closed = true;
        abort(this.connection);
    }

    /** Some changes may not have come. */
    static final class LostException extends SQLException {

        private static final long serialVersionUID = 1L;

        LostException(Exception cause) {
            super(cause);
        }

    }

}
