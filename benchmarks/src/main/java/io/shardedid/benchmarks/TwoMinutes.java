package io.shardedid.benchmarks;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.logging.Level;
import java.util.logging.LogManager;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdsBuilder;

/**
 * Answers in two minutes what an id and a row cost beside those of a sequence, UUIDv7,
 * TSID, CosId and Agrona, each as it is by default.
 */
public final class TwoMinutes {

    private static final List<DefaultPeer> PEERS = List.of(DefaultPeer.ONE_SHARD, DefaultPeer.SHARDS,
            DefaultPeer.KEYLESS, DefaultPeer.AGRONA, DefaultPeer.COSID, DefaultPeer.HYPERSISTENCE_TSID,
            DefaultPeer.UUID_V7);

    private static final List<RowKind> KINDS = List.of(RowKind.KEYED, RowKind.SEQUENCE, RowKind.AGRONA, RowKind.COSID,
            RowKind.TSID, RowKind.UUID7, RowKind.IDENTITY);

    private static final int TRANSACTION = 1000;

    private final Measurements measured = new Measurements();

    private final Database database;

    private final Scale scale;

    private final Duration rows;

    /**
     * Makes a comparison.
     * @param database where rows are inserted
     * @param scale how long ids are made
     * @param rows how long rows are inserted, after a third of it to warm up
     */
    TwoMinutes(Database database, Scale scale, Duration rows) {
        this.database = database;
        this.scale = scale;
        this.rows = rows;
    }

    /** Measures and prints. There are no arguments. */
    public static void main(String[] arguments) throws Exception {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        LogManager.getLogManager().getLogger("").setLevel(Level.SEVERE);
        System.out.printf(Locale.ROOT, "%s, %s processors, %s, load before the run %s%n%n", Machine.cpu(),
                Runtime.getRuntime().availableProcessors(), Machine.jdk(), Machine.load());
        new TwoMinutes(Database.POSTGRESQL, Scale.FULL, Duration.ofSeconds(40)).run(System.out);
    }

    void run(PrintStream out) throws Exception {
        try (Database.Server server = this.database.start(); HikariDataSource pool = server.pool(4)) {
            long ceiling = 1000L << IdLayout.standard().sequenceBits();
            out.printf(Locale.ROOT,
                    "The default layout of ShardedId, 'standard', makes up to %,d ids a second in each shard "
                            + "and process, %,d in %,d shards.%n%n",
                    ceiling, ceiling * ShardedIdsBuilder.DEFAULT_SHARDS, ShardedIdsBuilder.DEFAULT_SHARDS);
            ids(pool);
            out.println(ofIds());
            rows(server, pool);
            out.println(ofRows("Rows of %s, batches of 50, transactions of 1,000: µs a row", "", "%,8.1f"));
            out.println(ofRows("Index of the primary key in %s: bytes a row", " index bytes a row", "%,8.1f"));
        }
    }

    private void ids(HikariDataSource pool) throws ExecutionException, InterruptedException, SQLException {
        DefaultRounds rounds = new DefaultRounds(this.scale, this.measured);
        try (Connection connection = pool.getConnection()) {
            connection.createStatement().execute("CREATE SEQUENCE two_minutes");
            PreparedStatement statement = connection.prepareStatement((this.database == Database.H2)
                    ? "CALL NEXT VALUE FOR two_minutes" : "SELECT nextval('two_minutes')");
            for (int round = 0; round < 3; round++) {
                for (DefaultPeer peer : PEERS) {
                    try (IdSource source = peer.open()) {
                        rounds.run(peer.name(), source, 1);
                    }
                }
                rounds.run("sequence", () -> next(statement), 1);
            }
        }
    }

    private static long next(PreparedStatement statement) {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
        catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void rows(Database.Server server, HikariDataSource pool) throws Exception {
        Random random = new Random(1);
        try (Engines engines = new Engines();
                PersistUnits units = new PersistUnits(this.database, pool, server.pool(2), engines)) {
            Inserts inserts = new Inserts(units, engines);
            List<RowKind> kinds = new ArrayList<>(KINDS);
            long began = System.nanoTime();
            long transactions = 0;
            for (long took = 0; took < this.rows.toNanos(); took = System.nanoTime() - began) {
                Collections.shuffle(kinds, random);
                boolean warm = took > this.rows.toNanos() / 3;
                for (RowKind kind : kinds) {
                    inserts.insert(kind, TRANSACTION, warm ? this.measured : new Measurements(),
                            "persist %s %s".formatted(this.database, kind));
                }
                transactions++;
            }
            new TableSizes(this.database, pool).addTo(this.measured, KINDS, transactions * TRANSACTION);
        }
    }

    private String ofIds() {
        Bars bars = new Bars("Ids a second of one thread, each generator as it is by default", "%,11.0f");
        PEERS.forEach((peer) -> bars.add(peer.title(), this.measured.series(peer + " t1 ids a second"),
                "ceiling: " + peer.ceiling()));
        bars.add("a sequence of %s, by itself".formatted(this.database),
                this.measured.series("sequence t1 ids a second"), "a round trip each");
        return bars.text();
    }

    private String ofRows(String title, String what, String form) {
        Bars bars = new Bars(title.formatted(this.database), form);
        KINDS.forEach((kind) -> bars.add(kind.title().replace("`", ""),
                this.measured.series("persist %s %s%s".formatted(this.database, kind, what)), ""));
        return bars.text();
    }

}
