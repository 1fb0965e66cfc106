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
 * Inserts by Hibernate, in batches of 50 and transactions of 1,000: each round inserts
 * the same number of rows of every kind, in an order drawn anew.
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
            List<RowKind> kinds = new ArrayList<>(List.of(RowKind.values()));
            int warmUp = Math.min(3, this.scale.persistRounds() - 1);
            for (int round = 0; round < this.scale.persistRounds() + warmUp; round++) {
                Collections.shuffle(kinds, this.random);
                for (RowKind kind : kinds) {
                    Measurements into = (round < warmUp) ? new Measurements() : this.measured;
                    long wal = (database == Database.POSTGRESQL) ? sizes.walBytes() : 0;
                    insert(kind.wide() ? wideRows : narrowRows, standard, kind, into,
                            "persist " + database + " " + kind);
                    if (database == Database.POSTGRESQL) {
                        into.add("persist %s %s WAL bytes a row".formatted(database, kind),
                                (double) (sizes.walBytes() - wal) / this.scale.rows());
                    }
                }
            }
            if (database == Database.POSTGRESQL) {
                for (RowKind kind : RowKind.values()) {
                    this.measured.add("persist %s %s index bytes a row".formatted(database, kind),
                            sizes.indexBytesPerRow(kind.entity().getSimpleName()));
                }
            }
        }
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
        for (int done = 0; done < this.scale.rows(); done += TRANSACTION) {
            insert(factory, kind, Math.min(TRANSACTION, this.scale.rows() - done), parentIds);
        }
        long took = System.nanoTime() - began;
        into.add(name, took / 1000.0 / this.scale.rows());
        into.add(name + " bytes allocated a row",
                (double) (this.threads.getCurrentThreadAllocatedBytes() - allocated) / this.scale.rows());
    }

    private long[] parentIds(ShardedIds parents) {
        long[] ids = new long[TRANSACTION];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = parents.next(this.random.nextInt(parents.shards()));
        }
        return ids;
    }

    private void insert(SessionFactory factory, RowKind kind, int rows, long[] parentIds) {
        try (Session session = factory.openSession()) {
            session.beginTransaction();
            for (int i = 0; i < rows; i++) {
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
