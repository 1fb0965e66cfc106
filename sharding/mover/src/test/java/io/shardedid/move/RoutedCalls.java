package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.move.KnownRows.Row;
import io.shardedid.routing.Shards;
import io.shardedid.shards.ShardMovedException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Threads that call an application whose shards move: readers of rows that nobody
 * deletes, writers, and scopes that stay open while shards move. A call may fail, and
 * what it answers has to be right.
 */
final class RoutedCalls {

    private static final long REST_NANOS = 20_000_000;

    /** What a missing table is called. */
    private static final String UNDEFINED_TABLE = "42P01";

    /** So many photos, and half as many bookmarks of a table, does a writer insert. */
    private static final int ENOUGH = 400;

    private static final String PROPERTIES = """
            shardedid.databases.initial-map=0-8: a, 9: b, 10-19: a
            shardedid.databases.refresh=1s
            shardedid.shards=20
            shardedid.worker.lease.initialize-schema=always
            spring.jpa.hibernate.ddl-auto=validate
            spring.jpa.open-in-view=false
            """;

    private final KnownRows known;

    private final IntSupplier moves;

    private final Supplier<String> bookmarks;

    private final Function<Row, String> look;

    private final Photos photos;

    private final Shards shards;

    private final ShardedIds ids;

    private final JdbcTemplate jdbc;

    private final EntityManager entities;

    private final TransactionTemplate transactions;

    private final List<Thread> threads = new ArrayList<>();

    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

    private final AtomicLong longestWriteNanos = new AtomicLong();

    private volatile boolean slow;

    private volatile boolean leasesFailOver;

    private volatile boolean ended;

    /**
     * Takes an application.
     * @param context the application
     * @param known what is known of its rows
     * @param moves counts the moves that have ended
     * @param bookmarks names the table that the last migration makes
     * @param look says where a row is
     */
    RoutedCalls(ApplicationContext context, KnownRows known, IntSupplier moves, Supplier<String> bookmarks,
            Function<Row, String> look) {
        this.look = look;
        this.known = known;
        this.moves = moves;
        this.bookmarks = bookmarks;
        this.photos = context.getBean(Photos.class);
        this.shards = context.getBean(Shards.class);
        this.ids = context.getBean(ShardedIds.class);
        this.jdbc = context.getBean(JdbcTemplate.class);
        this.entities = context.getBean(EntityManager.class);
        this.transactions = context.getBean(TransactionTemplate.class);
    }

    /** Starts an application with pools of so many connections. */
    static ConfigurableApplicationContext application(TwoDatabases databases, int connections, String... more) {
        List<String> keys = new ArrayList<>(PROPERTIES.lines().toList());
        keys.add("shardedid.databases.home=" + databases.databases().home());
        databases.databases().databases().forEach((name, database) -> {
            String prefix = "shardedid.databases.%s.".formatted(name);
            keys.add(prefix + "url=" + database.url());
            keys.add(prefix + "username=" + database.username());
            keys.add(prefix + "hikari.maximum-pool-size=" + connections);
        });
        keys.addAll(List.of(more));
        return new SpringApplicationBuilder(PhotosApplication.class).web(WebApplicationType.NONE)
            .properties(keys.toArray(String[]::new))
            .run();
    }

    /** Lets writers rest after each change, so that the rows grow more slowly. */
    void slowDown() {
        this.slow = true;
    }

    /** Lets calls fail for want of a lease: a failover may have lost the last ones. */
    void leasesFailOver() {
        this.leasesFailOver = true;
    }

    void readers(int number, long seed) {
        for (int i = 0; i < number; i++) {
            Random random = new Random(seed + i);
            run("reader-" + i, () -> read(random));
        }
    }

    void writers(int number, int[] users, long seed) {
        for (int i = 0; i < number; i++) {
            Writes writes = new Writes("writer " + users[0] + " " + (seed + i), users, new Random(seed + i));
            run(writes.name, () -> {
                writes.write();
                if (this.slow) {
                    LockSupport.parkNanos(REST_NANOS);
                }
            });
        }
    }

    void scopes(int number, int[] users, long seed) {
        for (int i = 0; i < number; i++) {
            Writes writes = new Writes("scope " + i, users, new Random(seed + i));
            run(writes.name, writes::scope);
        }
    }

    private void run(String name, Runnable call) {
        Thread thread = new Thread(() -> {
            while (!this.ended) {
                try {
                    call.run();
                }
                catch (DataAccessException | TransactionException | PersistenceException | ShardMovedException
                        | WorkerLeaseException ex) {
                    failed(ex);
                }
            }
        }, name);
        thread.setUncaughtExceptionHandler((same, fault) -> {
            fault.printStackTrace();
            this.known.fault(name + ": " + fault);
        });
        thread.start();
        this.threads.add(thread);
    }

    void end() throws InterruptedException {
        this.ended = true;
        for (Thread thread : this.threads) {
            thread.join(60_000);
            if (thread.isAlive()) {
                this.known.fault(thread.getName() + " does not end");
            }
        }
    }

    private void count(String what) {
        this.counts.computeIfAbsent(what, (same) -> new AtomicLong()).incrementAndGet();
    }

    long counted(String what) {
        return this.counts.getOrDefault(what, new AtomicLong()).get();
    }

    private void failed(RuntimeException failure) {
        if (failure instanceof WorkerLeaseException && !this.leasesFailOver) {
            this.known.fault("no lease: " + failure);
        }
        if (failure instanceof OptimisticLockingFailureException) {
            this.known.fault("an update has not met its row: " + failure);
        }
        count("failed by " + (isRefused(failure) ? "a moved shard" : failure.getClass().getSimpleName()));
        LockSupport.parkNanos(REST_NANOS);
    }

    /** As applications do it, a transaction whose shard was not there is begun again. */
    private <T> T repeated(Supplier<T> transaction) {
        try {
            return transaction.get();
        }
        catch (RuntimeException ex) {
            if (!isRefused(ex)) {
                throw ex;
            }
            count("refused by a moved shard");
            return transaction.get();
        }
    }

    /** Nothing of a transaction has been committed whose shard was not there. */
    private static boolean isRefused(Throwable failure) {
        return failure != null && (failure instanceof ShardMovedException || isRefused(failure.getCause()));
    }

    private static boolean hasNoTable(Throwable failure) {
        return failure != null && (failure instanceof SQLException sql && UNDEFINED_TABLE.equals(sql.getSQLState())
                || hasNoTable(failure.getCause()));
    }

    String figures() {
        return "%s, longest write=%s ms".formatted(new TreeMap<>(this.counts),
                this.longestWriteNanos.get() / 1_000_000);
    }

    private void read(Random random) {
        Row row = this.known.any(random, this.shards.map().version());
        if (row == null) {
            LockSupport.parkNanos(REST_NANOS / 10);
            return;
        }
        try {
            boolean found = !row.isPhoto() ? this.shards.inShardOf(row.id(), () -> isThere(row))
                    : (random.nextInt(4) == 0) ? this.transactions.execute((status) -> isThereForAWhile(row))
                            : this.photos.findById(row.id()).isPresent();
            count("reads");
            if (!found) {
                empty(row);
            }
        }
        catch (DataAccessException ex) {
            if (hasNoTable(ex)) {
                empty(row);
            }
            throw ex;
        }
    }

    private void empty(Row row) {
        count("empty answers");
        this.known.fault(
                "no answer for %s, which exists: map=%s, %s".formatted(row, this.shards.map(), this.look.apply(row)));
    }

    private boolean isThere(Row row) {
        return this.jdbc.queryForList("SELECT id FROM %s WHERE id = ?".formatted(row.table()), Long.class, row.id())
            .size() == 1;
    }

    /** Keeps others waiting for the connection, and costs no CPU. */
    private boolean isThereForAWhile(Row row) {
        boolean found = this.photos.findById(row.id()).isPresent();
        this.jdbc.queryForList("SELECT pg_sleep(0.02)");
        return found && isThere(row);
    }

    /** One of the threads that write. Nobody else changes its rows. */
    private final class Writes {

        private final String name;

        private final int[] users;

        private final Random random;

        /** Photos with their comments. */
        private final List<Pair> pairs = new ArrayList<>();

        private final List<Row> marks = new ArrayList<>();

        private long changes;

        Writes(String name, int[] users, Random random) {
            this.name = name;
            this.users = users;
            this.random = random;
        }

        private String value() {
            this.changes++;
            return this.name + ": " + this.changes;
        }

        /** Makes a change, and says what is known of the rows afterwards. */
        private boolean changes(String value, IntSupplier change, Row... rows) {
            long began = System.nanoTime();
            int changed;
            try {
                changed = repeated(change::getAsInt);
            }
            catch (RuntimeException ex) {
                if (!isRefused(ex)) {
                    RoutedCalls.this.known.doubtful(value, rows);
                }
                throw ex;
            }
            RoutedCalls.this.longestWriteNanos.accumulateAndGet(System.nanoTime() - began, Math::max);
            if (changed != rows.length) {
                count("updates without their rows");
                RoutedCalls.this.known.fault("%s rows changed of %s: map=%s, %s".formatted(changed, List.of(rows),
                        RoutedCalls.this.shards.map(), RoutedCalls.this.look.apply(rows[0])));
                return false;
            }
            RoutedCalls.this.known.acknowledged(value, rows);
            return true;
        }

        void write() {
            int way = this.random.nextInt(10);
            if (this.pairs.size() < 5 || way < (this.pairs.size() < ENOUGH ? 3 : 1)) {
                insert();
            }
            else if (way < 5) {
                update(this.pairs.get(this.random.nextInt(this.pairs.size())));
            }
            else if (way < 6) {
                delete();
            }
            else if (way < 8 && RoutedCalls.this.bookmarks.get() != null) {
                insertMark(RoutedCalls.this.bookmarks.get());
            }
            else if (!this.marks.isEmpty()) {
                updateInScope(this.marks.get(this.random.nextInt(this.marks.size())));
            }
        }

        /** Every other photo is for the readers, and stays. */
        private Pair insert() {
            String value = value();
            int user = this.users[this.random.nextInt(this.users.length)];
            long comment = RoutedCalls.this.ids.next(user);
            Photo photo;
            try {
                photo = repeated(() -> RoutedCalls.this.transactions.execute((status) -> {
                    Photo saved = RoutedCalls.this.photos.saveAndFlush(new Photo(user, value));
                    RoutedCalls.this.jdbc.update("INSERT INTO comment (id, photo_id, words) VALUES (?, ?, ?)", comment,
                            saved.getId(), value);
                    return saved;
                }));
            }
            catch (RuntimeException ex) {
                RoutedCalls.this.known.doubtful(value);
                throw ex;
            }
            Pair pair = new Pair(Row.photo(photo.getId()), Row.comment(comment), this.pairs.size() % 2 == 0);
            RoutedCalls.this.known.acknowledged(value, pair.photo, pair.comment);
            this.pairs.add(pair);
            if (pair.lasts) {
                RoutedCalls.this.known.lasts(pair.photo, RoutedCalls.this.shards.map().version());
            }
            return pair;
        }

        /**
         * As an application does it: it loads the row, and changes it. In a transaction
         * whose connection has failed, Hibernate finds nothing instead of throwing, so an
         * answer counts when its transaction has been committed.
         */
        private void update(Pair pair) {
            String value = value();
            changes(value, () -> RoutedCalls.this.transactions.execute((status) -> {
                Photo photo = RoutedCalls.this.photos.findById(pair.photo.id()).orElse(null);
                if (photo == null) {
                    return 0;
                }
                photo.setCaption(value);
                return 1 + RoutedCalls.this.jdbc.update("UPDATE comment SET words = ? WHERE id = ?", value,
                        pair.comment.id());
            }), pair.photo, pair.comment);
        }

        private void delete() {
            Pair pair = this.pairs.get(this.random.nextInt(this.pairs.size()));
            if (!pair.lasts) {
                // afterwards, nobody touches it any more
                this.pairs.remove(pair);
                changes(KnownRows.NONE, () -> RoutedCalls.this.shards
                    .inShardOf(pair.photo.id(),
                            () -> RoutedCalls.this.transactions.execute((status) -> RoutedCalls.this.jdbc
                                .update("DELETE FROM comment WHERE id = ?", pair.comment.id())
                                    + RoutedCalls.this.jdbc.update("DELETE FROM photo WHERE id = ?", pair.photo.id()))),
                        pair.photo, pair.comment);
            }
        }

        private void insertMark(String table) {
            if (this.marks.stream().filter((mark) -> mark.table().equals(table)).count() >= ENOUGH / 2) {
                updateInScope(this.marks.get(this.random.nextInt(this.marks.size())));
                return;
            }
            Pair pair = this.pairs.get(this.random.nextInt(this.pairs.size()));
            Row row = new Row(table, RoutedCalls.this.ids.next(pair.photo.shard()));
            String value = value();
            try {
                if (changes(value,
                        () -> RoutedCalls.this.shards.inShardOf(row.id(),
                                () -> RoutedCalls.this.jdbc.update(
                                        "INSERT INTO %s (id, photo_id, words) VALUES (?, ?, ?)".formatted(table),
                                        row.id(), pair.photo.id(), value)),
                        row)) {
                    this.marks.add(row);
                    RoutedCalls.this.known.lasts(row, RoutedCalls.this.shards.map().version());
                    count("rows in " + table);
                }
            }
            catch (DataAccessException ex) {
                if (!hasNoTable(ex)) {
                    throw ex;
                }
                // the migration has not run there yet
                LockSupport.parkNanos(REST_NANOS);
            }
        }

        private void updateInScope(Row row) {
            String value = value();
            changes(value, () -> RoutedCalls.this.shards.inShardOf(row.id(), () -> updateByJdbc(row, value)), row);
        }

        private int updateByJdbc(Row row, String value) {
            return RoutedCalls.this.jdbc.update(
                    "UPDATE %s SET %s = ? WHERE id = ?".formatted(row.table(), row.isPhoto() ? "caption" : "words"),
                    value, row.id());
        }

        /** A scope that stays open until three more moves have ended. */
        void scope() {
            Pair pair = insert();
            RoutedCalls.this.shards.inShardOf(pair.photo.id(), () -> {
                int last = RoutedCalls.this.moves.getAsInt() + 3;
                while (!RoutedCalls.this.ended && RoutedCalls.this.moves.getAsInt() < last) {
                    try {
                        inScope(pair);
                    }
                    catch (DataAccessException | TransactionException | PersistenceException | ShardMovedException
                            | WorkerLeaseException ex) {
                        failed(ex);
                    }
                    LockSupport.parkNanos(REST_NANOS);
                }
                if (RoutedCalls.this.moves.getAsInt() >= last) {
                    count("scopes over three moves");
                }
            });
        }

        private void inScope(Pair pair) {
            if (!isThere(pair.photo) || !isThere(pair.comment)
                    || RoutedCalls.this.photos.findById(pair.photo.id()).isEmpty()) {
                empty(pair.photo);
            }
            count("reads in open scopes");
            String value = value();
            changes(value, () -> updateByJdbc(pair.photo, value), pair.photo);
            String words = value();
            changes(words, () -> updateByJdbc(pair.comment, words), pair.comment);
            String caption = value();
            changes(caption,
                    () -> RoutedCalls.this.transactions.execute((status) -> RoutedCalls.this.entities
                        .createQuery("update Photo set caption = :caption where id = :id")
                        .setParameter("caption", caption)
                        .setParameter("id", pair.photo.id())
                        .executeUpdate()),
                    pair.photo);
        }

    }

    /**
     * A photo and its comment, which are inserted and deleted together.
     *
     * @param photo the photo
     * @param comment its comment
     * @param lasts whether nobody deletes them
     */
    private record Pair(Row photo, Row comment, boolean lasts) {
    }

}
