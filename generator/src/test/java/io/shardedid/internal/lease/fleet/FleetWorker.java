package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerIdRange;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * One process of the fleet: makes ids until it is ended. One thread writes them to a
 * journal alone, the other one also inserts them. Arguments: the JDBC URL, the user, the
 * namespace, the window in milliseconds, where the journals go. The variable
 * {@value WORKER_IDS} may bound its worker ids. Prints {@code READY}, {@code REFUSED} or
 * {@code FAILED} with a reason.
 */
final class FleetWorker {

    static final String WORKER_IDS = "WORKER_IDS";

    static final Duration MAX_WAIT = Duration.ofSeconds(2);

    /** Few, so that two processes that shared a worker id would meet soon. */
    static final int SHARDS = 4;

    private static final int BURST = 64;

    private static final int BATCH = 50;

    /** SQLState class of a row that breaks a constraint; the table has only its key. */
    private static final String DUPLICATE_KEY = "23";

    private final Heartbeat heart = Heartbeat.start();

    private final String url;

    private final String user;

    private final Path journals;

    private final ShardedIdEngine ids;

    private FleetWorker(String url, String user, Path journals, ShardedIdEngine ids) {
        this.url = url;
        this.user = user;
        this.journals = journals;
        this.ids = ids;
    }

    public static void main(String[] args) {
        SeparateJvm.endWithParent();
        String url = args[0];
        Duration window = Duration.ofMillis(Long.parseLong(args[3]));
        LeaseSettings.Builder settings = LeaseSettings.builder()
            .namespace(args[2])
            .window(window)
            .startupTimeout(window.multipliedBy(3))
            .application("fleet");
        String workerIds = System.getenv(WORKER_IDS);
        if (workerIds != null) {
            settings.workerIds(WorkerIdRange.parse(workerIds));
        }
        ShardedIdEngine ids;
        try {
            ids = ShardedIds.builder()
                .shards(SHARDS)
                .maxWait(MAX_WAIT)
                .workers(JdbcLeases.leased(settings.build(), LeaseConnections.url(url, args[1], ""), "shardedid_worker",
                        SchemaInitialization.ALWAYS, List.of()))
                .open();
        }
        catch (ShardedIdException ex) {
            System.out.println("REFUSED " + ex.getMessage());
            System.exit(1);
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(ids::close));
        System.out.println("READY " + ids.stats().worker());
        FleetWorker worker = new FleetWorker(url, args[1], Path.of(args[4]), ids);
        new Thread(() -> worker.run("made", worker::make), "maker").start();
        new Thread(() -> worker.run("inserted", worker::insert), "inserter").start();
    }

    private interface Task {

        void run(IdJournal journal) throws IOException;

    }

    private void run(String name, Task task) {
        try (IdJournal journal = new IdJournal(Path.of(this.journals + "." + name))) {
            task.run(journal);
        }
        catch (ShardedIdException ex) {
            // SIGTERM: the lease has been given back.
            if (!closed(ex)) {
                System.out.println("FAILED " + ex);
            }
        }
        catch (Throwable ex) {
            System.out.println("FAILED " + ex);
            ex.printStackTrace();
        }
    }

    private static boolean closed(ShardedIdException ex) {
        return String.valueOf(ex.getMessage()).contains("closed");
    }

    private void make(IdJournal journal) throws IOException {
        for (int i = 0; true; i++) {
            next(i % SHARDS, BURST, journal);
            LockSupport.parkNanos(Duration.ofMillis(25).toNanos());
        }
    }

    /** Asks for ids and writes down what came. */
    private long[] next(int shard, int count, IdJournal journal) throws IOException {
        long[] into = new long[count];
        long stalled = this.heart.stalledNanos();
        long began = System.nanoTime();
        try {
            this.ids.next(shard, into);
        }
        catch (ShardedIdException ex) {
            if (closed(ex)) {
                throw ex;
            }
            // nothing of an array that was not filled is to be used
            into = new long[0];
        }
        long waited = System.nanoTime() - began - (this.heart.stalledNanos() - stalled);
        journal.append(new IdJournal.Entry(System.currentTimeMillis(), Math.max(0, waited), into));
        return into;
    }

    private void insert(IdJournal journal) throws IOException {
        while (true) {
            try (Connection connection = LeaseConnections.url(this.url, this.user, "").open(Duration.ofSeconds(2))) {
                connection.setAutoCommit(false);
                for (int i = 0; true; i++) {
                    insert(connection, next(i % SHARDS, BATCH, journal));
                    LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
                }
            }
            catch (SQLException ex) {
                if (String.valueOf(ex.getSQLState()).startsWith(DUPLICATE_KEY)) {
                    System.out.println("FAILED " + ex.getMessage());
                }
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }
    }

    private static void insert(Connection connection, long[] batch) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO fleet_row (id) VALUES (?)")) {
            for (long id : batch) {
                insert.setLong(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        }
    }

}
