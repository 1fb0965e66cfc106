package io.shardedid.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import com.sun.management.ThreadMXBean;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;

import org.hibernate.Session;
import org.hibernate.SessionFactory;

/**
 * Inserts by Hibernate, in batches of 50 and transactions of 1,000. The kinds of row take
 * turns by the transaction, in an order drawn anew, and a round tells the median of its
 * transactions: so neighbours in time are compared, and what interrupts one of them does
 * not count.
 */
final class PersistRounds {

    private static final int BATCH = 50;

    private static final int TRANSACTION = 1000;

    private static final int USERS = 100_000;

    private final Scale scale;

    private final Measurements measured;

    private final Random random = new Random(1);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    PersistRounds(Scale scale, Measurements measured) {
        this.scale = scale;
        this.measured = measured;
    }

    void run(Database database) throws IOException, SQLException {
        try (Database.Opened opened = database.open();
                ShardedIds standard = EngineMode.FIXED.open(IdLayout.instagram(), 2000);
                ShardedIds wide = PersistUnit.wideEngine();
                SessionFactory narrowRows = PersistUnit.open(opened.dataSource(), standard, entities(false));
                SessionFactory wideRows = PersistUnit.open(opened.dataSource(), wide, entities(true))) {
            PostgresSizes sizes = new PostgresSizes(opened.dataSource());
            boolean postgres = database == Database.POSTGRESQL;
            int warmUp = Math.min(3, this.scale.persistRounds() - 1);
            for (int round = -warmUp; round < this.scale.persistRounds(); round++) {
                Measurements transactions = new Measurements();
                for (int done = 0; done < this.scale.rows(); done += TRANSACTION) {
                    for (RowKind kind : shuffled()) {
                        String name = "persist %s %s".formatted(database, kind);
                        long wal = postgres ? sizes.walBytes() : 0;
                        insert(kind.wide() ? wideRows : narrowRows, standard, kind, transactions, name);
                        if (postgres) {
                            transactions.add(name + " WAL bytes a row", perRow(sizes.walBytes() - wal));
                        }
                    }
                }
                if (round >= 0) {
                    transactions.names().forEach((name) -> this.measured.add(name, transactions.series(name).median()));
                }
            }
            if (postgres) {
                for (RowKind kind : RowKind.values()) {
                    this.measured.add("persist %s %s index bytes a row".formatted(database, kind),
                            sizes.indexBytesPerRow(kind.table()));
                }
            }
        }
    }

    private List<RowKind> shuffled() {
        List<RowKind> kinds = new ArrayList<>(List.of(RowKind.values()));
        Collections.shuffle(kinds, this.random);
        return kinds;
    }

    private static List<Class<?>> entities(boolean wide) {
        List<Class<?>> entities = new ArrayList<>();
        Arrays.stream(RowKind.values())
            .filter((kind) -> kind.wide() == wide)
            .forEach((kind) -> entities.add(kind.entity()));
        return entities;
    }

    private void insert(SessionFactory factory, ShardedIds parents, RowKind kind, Measurements into, String name) {
        long[] parentIds = parentIds(parents);
        long allocated = this.threads.getCurrentThreadAllocatedBytes();
        long began = System.nanoTime();
        insert(factory, kind, parentIds);
        into.add(name, perRow(System.nanoTime() - began) / 1000);
        into.add(name + " bytes allocated a row", perRow(this.threads.getCurrentThreadAllocatedBytes() - allocated));
    }

    private static double perRow(long all) {
        return (double) all / TRANSACTION;
    }

    private long[] parentIds(ShardedIds parents) {
        long[] ids = new long[TRANSACTION];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = parents.next(this.random.nextInt(parents.shards()));
        }
        return ids;
    }

    private void insert(SessionFactory factory, RowKind kind, long[] parentIds) {
        try (Session session = factory.openSession()) {
            session.beginTransaction();
            for (int i = 0; i < TRANSACTION; i++) {
                Rows.Row row = kind.row();
                row.userId = this.random.nextInt(USERS);
                row.parentId = parentIds[i];
                row.createdAt = Instant.EPOCH.plusSeconds(i);
                row.caption = "a photo";
                session.persist(row);
                if ((i + 1) % BATCH == 0) {
                    session.flush();
                    session.clear();
                }
            }
            session.getTransaction().commit();
        }
    }

}
