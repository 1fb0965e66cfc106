package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.shardedid.ShardedId;
import io.shardedid.SeparateJvm;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

/**
 * One process of {@link RollingUpgradeIT}: persists rows by Hibernate until it is ended.
 * It uses of the generator only what every version has, the annotation and the keys, so
 * that one class file runs with each. Arguments: the JDBC URL and where the journal goes.
 * Prints {@code READY}, or {@code FAILED} with a reason.
 */
final class UpgradeWorker {

    /** Few, so that two processes that shared a worker id would meet soon. */
    private static final int SHARDS = 4;

    private static final int BATCH = 50;

    private UpgradeWorker() {
    }

    public static void main(String[] args) throws Exception {
        SeparateJvm.endWithParent();
        AtomicBoolean ending = new AtomicBoolean();
        try (IdJournal journal = new IdJournal(Path.of(args[1])); SessionFactory factory = factory(args[0])) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                ending.set(true);
                factory.close();
            }));
            System.out.println("READY");
            while (true) {
                persist(factory, journal);
            }
        }
        catch (Exception ex) {
            if (!ending.get()) {
                System.out.println("FAILED " + ex);
                ex.printStackTrace(System.out);
            }
        }
    }

    private static SessionFactory factory(String url) {
        return new Configuration().addAnnotatedClass(Row.class)
            .setProperty("hibernate.connection.url", url)
            .setProperty("hibernate.connection.username", "postgres")
            .setProperty("hibernate.connection.password", "")
            .setProperty("hibernate.jdbc.batch_size", String.valueOf(BATCH))
            .setProperty("shardedid.shards", String.valueOf(SHARDS))
            .setProperty("shardedid.worker.lease.initialize-schema", "always")
            .setProperty("shardedid.worker.lease.window", "3s")
            .setProperty("shardedid.worker.lease.startup-timeout", "60s")
            .buildSessionFactory();
    }

    /** The journal has the ids before anybody else can see them. */
    private static void persist(SessionFactory factory, IdJournal journal) throws Exception {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            rows.add(new Row(i));
        }
        factory.inSession((session) -> {
            session.beginTransaction();
            rows.forEach(session::persist);
            session.flush();
            append(journal, rows.stream().mapToLong((row) -> row.id).toArray());
            session.getTransaction().commit();
        });
    }

    private static void append(IdJournal journal, long[] ids) {
        try {
            journal.append(new IdJournal.Entry(System.currentTimeMillis(), 0, ids));
        }
        catch (java.io.IOException ex) {
            throw new java.io.UncheckedIOException(ex);
        }
    }

    @Entity
    @Table(name = "fleet_row")
    static class Row {

        @Id
        @ShardedId(shardKey = "account")
        Long id;

        long account;

        Row() {
        }

        Row(long account) {
            this.account = account;
        }

    }

}
