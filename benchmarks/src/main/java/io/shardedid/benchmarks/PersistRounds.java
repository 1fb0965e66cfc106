package io.shardedid.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import com.zaxxer.hikari.HikariDataSource;

/**
 * Rows of all kinds in one database, in transactions of 1,000. The kinds take turns by
 * the transaction, in an order drawn anew, and a round tells the median of its
 * transactions: so neighbours in time are compared, and what interrupts one of them does
 * not count. Then what the tables weigh, how long they are read, and inserts again
 * through a network that delays.
 */
final class PersistRounds implements AutoCloseable {

    private static final int TRANSACTION = 1000;

    private static final int DELAYED_ROUNDS = 5;

    private static final int SAVE_ROUNDS = 20;

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    private final Random random = new Random(1);

    private final Engines engines = new Engines();

    PersistRounds(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    void run(Database database) throws Exception {
        try (Database.Server server = database.start()) {
            try (HikariDataSource rows = server.pool(4);
                    PersistUnits units = new PersistUnits(database, rows, server.pool(2), this.engines)) {
                insert(database, new Inserts(units, this.engines), new TableSizes(database, rows),
                        List.of(RowKind.values()), this.scale.persistRounds(database));
                new Queries(database, rows, this.scale, this.measured).run();
            }
            for (int delayMillis : database.remote() ? new int[] { 0, 1, 5 } : new int[0]) {
                delayed(server, delayMillis);
            }
        }
    }

    /** What a row costs that Hibernate saves, beside the least that it can cost. */
    void save(Database database) throws Exception {
        try (Database.Server server = database.start();
                HikariDataSource rows = server.pool(4);
                PersistUnits units = new PersistUnits(database, rows, server.pool(2), this.engines)) {
            insert(database, new Inserts(units, this.engines), new TableSizes(database, rows),
                    List.of(RowKind.ASSIGNED, RowKind.MINIMAL, RowKind.KEYED), this.scale.meant() ? SAVE_ROUNDS : 1);
        }
    }

    private void insert(Database database, Inserts inserts, TableSizes sizes, List<RowKind> kinds, int rounds)
            throws SQLException {
        int rows = this.scale.rowsInRound(database);
        int warmUp = Math.min(3, rounds - 1);
        for (int round = -warmUp; round < rounds; round++) {
            Measurements transactions = new Measurements();
            for (int done = 0; done < rows; done += TRANSACTION) {
                for (RowKind kind : shuffled(kinds)) {
                    String name = "persist %s %s".formatted(database, kind);
                    long wal = sizes.walBytes();
                    inserts.insert(kind, TRANSACTION, transactions, name);
                    if (database.remote()) {
                        transactions.add(name + " WAL bytes a row", (double) (sizes.walBytes() - wal) / TRANSACTION);
                    }
                }
            }
            if (round >= 0) {
                transactions.names().forEach((name) -> this.measured.add(name, transactions.series(name).median()));
                sizes.addTo(this.measured, kinds, (long) (round + warmUp + 1) * rows);
            }
            this.progress.done("%s, round %s of %s, %s rows of each kind".formatted(database, round + warmUp + 1,
                    rounds + warmUp, rows));
        }
    }

    /** The same rows through a network that keeps each request for a while. */
    private void delayed(Database.Server server, int millis) throws Exception {
        Database database = server.database();
        int rows = this.scale.rowsDelayed(millis);
        try (DelayingProxy proxy = new DelayingProxy(server.port());
                HikariDataSource through = server.poolThrough(proxy.port(), 4);
                PersistUnits units = new PersistUnits(database, through, server.poolThrough(proxy.port(), 2),
                        this.engines)) {
            proxy.delayRequests(millis * 1_000_000L);
            Inserts inserts = new Inserts(units, this.engines);
            for (int round = -1; round < (this.scale.meant() ? DELAYED_ROUNDS : 1); round++) {
                Measurements into = (round < 0) ? new Measurements() : this.measured;
                for (RowKind kind : shuffled(List.of(RowKind.values()))) {
                    inserts.insert(kind, rows, into, "persist %s, %s ms away, %s".formatted(database, millis, kind));
                }
            }
        }
        this.progress.done("%s, %s ms away".formatted(database, millis));
    }

    private List<RowKind> shuffled(List<RowKind> kinds) {
        List<RowKind> shuffled = new ArrayList<>(kinds);
        Collections.shuffle(shuffled, this.random);
        return shuffled;
    }

    @Override
    public void close() {
        this.engines.close();
    }

}
