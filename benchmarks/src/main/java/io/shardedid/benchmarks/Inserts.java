package io.shardedid.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Random;

import com.sun.management.ThreadMXBean;

import org.hibernate.Session;

/**
 * Inserts by Hibernate, in batches of 50, and what a row costs.
 */
final class Inserts {

    private static final int BATCH = 50;

    private static final int USERS = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Random random = new Random(1);

    private final PersistUnits units;

    private final Engines engines;

    Inserts(PersistUnits units, Engines engines) {
        this.units = units;
        this.engines = engines;
    }

    /** One transaction. */
    void insert(RowKind kind, int rows, Measurements into, String name) {
        long[] parentIds = this.engines.parentIds(rows);
        long allocated = this.threads.getCurrentThreadAllocatedBytes();
        long cpu = this.threads.getCurrentThreadCpuTime();
        long began = System.nanoTime();
        insert(kind, parentIds);
        into.add(name, (System.nanoTime() - began) / 1000.0 / rows);
        into.add(name + " CPU", (this.threads.getCurrentThreadCpuTime() - cpu) / 1000.0 / rows);
        into.add(name + " bytes allocated a row",
                (double) (this.threads.getCurrentThreadAllocatedBytes() - allocated) / rows);
    }

    private void insert(RowKind kind, long[] parentIds) {
        try (Session session = this.units.factory(kind).openSession()) {
            session.beginTransaction();
            for (int i = 0; i < parentIds.length; i++) {
                Rows.Row row = kind.row();
                row.userId = this.random.nextInt(USERS);
                row.parentId = parentIds[i];
                row.createdAt = Instant.now();
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
