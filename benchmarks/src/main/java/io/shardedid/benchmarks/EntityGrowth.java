package io.shardedid.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

import com.sun.management.ThreadMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import org.hibernate.SessionFactory;

/**
 * Session factories with 1, 100 and 1,000 entities, sharded and with assigned ids: how
 * long they take to start, what that allocates, and what stays after garbage was
 * collected.
 */
final class EntityGrowth {

    private static final int ROUNDS = 3;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    EntityGrowth(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    static List<String> sizes() {
        return List.of("1", "5", "100", "1000");
    }

    void run() throws Exception {
        try (Database.Server server = Database.H2.start();
                HikariDataSource pool = server.pool(2);
                ShardedIdEngine ids = ShardedIds.builder()
                    .layout(IdLayout.standard())
                    .workers(WorkerLeases.fixed(5))
                    .open()) {
            for (int count : this.scale.meant() ? new int[] { 1, 100, 1000 } : new int[] { 1, 5 }) {
                List<Class<?>> assigned = ManyEntities.make(count, false);
                List<Class<?>> sharded = ManyEntities.make(count, true);
                // the first round warms up
                for (int round = this.scale.meant() ? -1 : 0; round < (this.scale.meant() ? ROUNDS : 1); round++) {
                    Measurements into = (round < 0) ? new Measurements() : this.measured;
                    start(pool, ids, assigned, "assigned", into);
                    start(pool, ids, sharded, "sharded", into);
                }
            }
        }
        this.progress.done("session factories");
    }

    private void start(HikariDataSource pool, ShardedIdEngine ids, List<Class<?>> entities, String kind,
            Measurements into) {
        String name = "entities, %s, %%s, %d".formatted(kind, entities.size());
        long before = Heap.used();
        long allocated = this.threads.getCurrentThreadAllocatedBytes();
        long began = System.nanoTime();
        try (SessionFactory factory = PersistUnit.open(pool, ids, entities, Map.of())) {
            into.addTime(name.formatted("start (ms)"), (System.nanoTime() - began) / 1e6);
            into.add(name.formatted("kB allocated"),
                    (this.threads.getCurrentThreadAllocatedBytes() - allocated) / 1000.0);
            into.add(name.formatted("kB kept"), (Heap.used() - before) / 1000.0);
            if (factory.isClosed()) {
                throw new IllegalStateException("a session factory must be open while it is weighed");
            }
        }
    }

}
