package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.shards.ShardFence;

/**
 * Inserts, reads, updates and deletes photos with a comment each, by the map as a router
 * does: it reads the map each second, or when the fence refuses it, routes nothing by an
 * older one, and takes no map in which a shard goes back. It knows what has been
 * acknowledged. Each transaction changes both tables.
 */
final class Writer implements Runnable {

    private static final long REFRESH_NANOS = Duration.ofSeconds(1).toNanos();

    /** So that the last moves of a long storm take no longer than the first ones. */
    private static final int MOST_PHOTOS = 2_000;

    private final TwoDatabases databases;

    private final int number;

    private final int isolation;

    private final int[] shards;

    private final Random random;

    private final AtomicLong acknowledged;

    /** The caption of each photo, null if it is deleted. */
    private final Map<Long, String> known = new HashMap<>();

    /** Photos of transactions without an answer, with both captions that are right. */
    private final Map<Long, List<String>> doubtful = new HashMap<>();

    private final List<Long> photos = new ArrayList<>();

    private final Map<Integer, String> homes = new HashMap<>();

    private final Map<Integer, Long> versions = new HashMap<>();

    private final Map<String, Connection> connections = new ConcurrentHashMap<>();

    private final List<String> faults = new ArrayList<>();

    private long readNanos = System.nanoTime() - Duration.ofDays(1).toNanos();

    private long tick = 1_000;

    private volatile boolean ended;

    private volatile boolean killed;

    Writer(TwoDatabases databases, int number, int isolation, int[] shards, long seed, AtomicLong acknowledged) {
        this.databases = databases;
        this.number = number;
        this.isolation = isolation;
        this.shards = shards;
        this.random = new Random(seed);
        this.acknowledged = acknowledged;
    }

    void end() {
        this.ended = true;
    }

    /** Ends all connections at once, and starts again without a map. */
    void kill() {
        this.killed = true;
        this.connections.values().forEach(Writer::abort);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        }
        catch (SQLException ex) {
            // it is gone
        }
    }

    Map<Long, String> known() {
        return this.known;
    }

    Map<Long, List<String>> doubtful() {
        return this.doubtful;
    }

    List<String> faults() {
        return this.faults;
    }

    @Override
    public void run() {
        while (!this.ended) {
            try {
                if (this.killed) {
                    this.killed = false;
                    disconnect();
                    this.homes.clear();
                    this.versions.clear();
                    this.readNanos -= REFRESH_NANOS;
                }
                if (System.nanoTime() - this.readNanos > REFRESH_NANOS) {
                    readMap();
                }
                transaction();
                LockSupport.parkNanos(2_000_000);
            }
            catch (SQLException ex) {
                disconnect();
                LockSupport.parkNanos(50_000_000);
            }
            catch (RuntimeException ex) {
                this.faults.add("writer %s: %s".formatted(this.number, ex));
                return;
            }
        }
        disconnect();
    }

    private void readMap() throws SQLException {
        long now = System.nanoTime();
        Connection map = connection(this.databases.map());
        map.setAutoCommit(true);
        try (Statement statement = map.createStatement();
                ResultSet rows = statement.executeQuery("SELECT shard, home, version FROM %s WHERE shard >= 0"
                    .formatted(this.databases.beside("shardedid_shard")))) {
            while (rows.next()) {
                if (rows.getLong(3) > this.versions.getOrDefault(rows.getInt(1), 0L)) {
                    this.homes.put(rows.getInt(1), rows.getString(2));
                    this.versions.put(rows.getInt(1), rows.getLong(3));
                }
            }
        }
        this.readNanos = now;
    }

    private void transaction() throws SQLException {
        int size = this.photos.size();
        boolean fresh = size < 20 || size < MOST_PHOTOS && this.random.nextInt(3) == 0;
        long id = fresh ? newId() : this.photos.get(this.random.nextInt(this.photos.size()));
        boolean delete = !fresh && this.random.nextInt(3) == 0;
        String caption = delete ? null : "writer %s %s".formatted(this.number, this.random.nextInt());
        Connection connection = connection(this.homes.get(TwoDatabases.LAYOUT.shardOf(id)));
        try {
            if (connection.getAutoCommit()) {
                connection.setTransactionIsolation(this.isolation);
            }
            connection.setAutoCommit(false);
            if (!fresh) {
                read(connection, id);
            }
            write(connection, id, fresh, caption);
        }
        catch (SQLException ex) {
            if (Arrays.asList(ShardFence.MOVED, "40001", "40P01", "55P03").contains(ex.getSQLState())) {
                connection.rollback();
                LockSupport.parkNanos(20_000_000);
                readMap();
                return;
            }
            throw ex;
        }
        try {
            connection.commit();
        }
        catch (SQLException ex) {
            this.doubtful.put(id, Arrays.asList(this.known.get(id), caption));
            this.known.remove(id);
            this.photos.remove(id);
            throw ex;
        }
        this.known.put(id, caption);
        if (fresh) {
            this.photos.add(id);
        }
        else if (delete) {
            this.photos.remove(id);
        }
        this.acknowledged.incrementAndGet();
    }

    private long newId() {
        this.tick += 1 + this.random.nextInt(3);
        return TwoDatabases.LAYOUT.compose(this.tick, this.shards[this.random.nextInt(this.shards.length)],
                this.number + 1, 0);
    }

    /** By a map that is not too old, each read finds the row as it was acknowledged. */
    private void read(Connection connection, long id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT caption, words FROM photo p JOIN comment c ON c.photo_id = p.id WHERE p.id = " + id)) {
            boolean old = System.nanoTime() - this.readNanos > MoverProcess.ROUTERS.toNanos();
            String caption = row.next() ? row.getString(1) : null;
            if (!old && (!this.known.get(id).equals(caption) || !caption.equals(row.getString(2)))) {
                throw new IllegalStateException("photo %s of shard %s in %s is %s, and was acknowledged as %s"
                    .formatted(id, TwoDatabases.LAYOUT.shardOf(id), connection.getMetaData().getURL(), caption,
                            this.known.get(id)));
            }
        }
    }

    private void write(Connection connection, long id, boolean fresh, String caption) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // half of them enter by the trigger alone
            if (this.random.nextBoolean()) {
                statement.execute("SELECT shardedid_enter(%s)".formatted(TwoDatabases.LAYOUT.shardOf(id)));
            }
            String first = fresh ? "INSERT INTO photo VALUES (%s, %s, '%s')".formatted(id, this.number, caption)
                    : (caption == null) ? "DELETE FROM comment WHERE id = %s".formatted(id + 1)
                            : "UPDATE photo SET caption = '%s' WHERE id = %s".formatted(caption, id);
            String second = fresh ? "INSERT INTO comment VALUES (%s, %s, '%s')".formatted(id + 1, id, caption)
                    : (caption == null) ? "DELETE FROM photo WHERE id = %s".formatted(id)
                            : "UPDATE comment SET words = '%s' WHERE id = %s".formatted(caption, id + 1);
            int changed = statement.executeUpdate(first) + statement.executeUpdate(second);
            if (changed != 2) {
                throw new IllegalStateException("rows of photo %s are gone in %s: changed=%s".formatted(id,
                        connection.getMetaData().getURL(), changed));
            }
        }
    }

    private Connection connection(String database) throws SQLException {
        Connection connection = this.connections.get(database);
        if (connection == null) {
            connection = this.databases.connect(database);
            this.connections.put(database, connection);
        }
        return connection;
    }

    private void disconnect() {
        this.connections.values().forEach((connection) -> {
            try {
                connection.close();
            }
            catch (SQLException ex) {
                // it is gone
            }
        });
        this.connections.clear();
    }

}
