package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.shardedid.shards.ShardFence;

/**
 * Inserts, updates and deletes photos with their comments, by the map, and knows what has
 * been acknowledged. Each transaction changes both tables.
 */
final class Writer implements Runnable {

    /** How often it looks at the map, in transactions. */
    private static final int LOOK = 5;

    private static final long REST_NANOS = 20_000_000;

    private final TwoDatabases databases;

    private final String name;

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

    private final Map<String, Connection> connections = new HashMap<>();

    private final List<String> faults = new ArrayList<>();

    private long version;

    private long identity;

    private long tick = 1_000;

    private volatile LongConsumer latencies = (nanos) -> {
    };

    private volatile boolean slow;

    private volatile boolean ended;

    Writer(TwoDatabases databases, int number, int isolation, int[] shards, long seed, AtomicLong acknowledged) {
        this.databases = databases;
        this.number = number;
        this.name = "writer " + number;
        this.isolation = isolation;
        this.shards = shards;
        this.random = new Random(seed);
        this.acknowledged = acknowledged;
    }

    /** Hears how long each transaction takes that is acknowledged, in nanoseconds. */
    void measure(LongConsumer latencies) {
        this.latencies = latencies;
    }

    /**
     * From now on, rests after each transaction, so that the rows hardly grow any more.
     */
    void slowDown() {
        this.slow = true;
    }

    /** Begins anew after it has ended, and knows its rows. */
    void begin() {
        this.homes.clear();
        this.ended = false;
    }

    void end() {
        this.ended = true;
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
        long done = 0;
        while (!this.ended) {
            try {
                if (done++ % LOOK == 0) {
                    readMap();
                }
                transaction();
                if (this.slow) {
                    LockSupport.parkNanos(REST_NANOS);
                }
            }
            catch (SQLException ex) {
                disconnect();
                this.homes.clear();
                done = 0;
            }
            catch (RuntimeException ex) {
                this.faults.add(this.name + ": " + ex);
                return;
            }
        }
        try (Connection map = connect("a"); Statement statement = map.createStatement()) {
            statement.execute("DELETE FROM shardedid_router WHERE process = '%s'".formatted(this.name));
        }
        catch (SQLException ex) {
            this.faults.add(this.name + ": " + ex);
        }
        disconnect();
    }

    /** As a router does: it says that it goes by a map before it does. */
    private void readMap() throws SQLException {
        Connection map = connection("a");
        map.setAutoCommit(true);
        try (Statement statement = map.createStatement()) {
            if (this.homes.isEmpty()) {
                acknowledge(statement, 0, 0);
            }
            try (ResultSet rows = statement.executeQuery(
                    "SELECT s.shard, s.home, m.version, m.identity FROM shardedid_shard s JOIN shardedid_shard m ON m.shard = -1 WHERE s.shard >= 0")) {
                while (rows.next()) {
                    this.homes.put(rows.getInt(1), rows.getString(2));
                    this.version = rows.getLong(3);
                    this.identity = rows.getLong(4);
                }
            }
            acknowledge(statement, this.version, this.identity);
        }
    }

    private void acknowledge(Statement statement, long seen, long identitySeen) throws SQLException {
        statement.execute(
                """
                        INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until)
                        VALUES ('default', '%s', %s, %s, 0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600000)
                        ON CONFLICT (namespace, process) DO UPDATE SET version_seen = excluded.version_seen, identity_seen = excluded.identity_seen, lease_until = excluded.lease_until"""
                    .formatted(this.name, seen, identitySeen));
    }

    private void transaction() throws SQLException {
        boolean fresh = this.photos.size() < 20 || this.random.nextInt(3) == 0;
        long id = fresh ? newId() : this.photos.get(this.random.nextInt(this.photos.size()));
        boolean delete = !fresh && this.random.nextInt(3) == 0;
        String caption = delete ? null : this.name + " " + this.random.nextInt();
        Connection connection = connection(this.homes.get(TwoDatabases.LAYOUT.shardOf(id)));
        long began = System.nanoTime();
        try {
            if (connection.getAutoCommit()) {
                connection.setTransactionIsolation(this.isolation);
            }
            connection.setAutoCommit(false);
            write(connection, id, fresh, caption);
        }
        catch (SQLException ex) {
            if (ShardFence.MOVED.equals(ex.getSQLState()) || "40001".equals(ex.getSQLState())
                    || "40P01".equals(ex.getSQLState())) {
                connection.rollback();
                readMap();
                return;
            }
            throw ex;
        }
        try {
            connection.commit();
        }
        catch (SQLException ex) {
            List<String> both = new ArrayList<>();
            both.add(this.known.get(id));
            both.add(caption);
            this.doubtful.put(id, both);
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
        this.latencies.accept(System.nanoTime() - began);
        this.acknowledged.incrementAndGet();
    }

    private long newId() {
        this.tick += 1 + this.random.nextInt(3);
        return TwoDatabases.LAYOUT.compose(this.tick, this.shards[this.random.nextInt(this.shards.length)], this.number,
                0);
    }

    private void write(Connection connection, long id, boolean fresh, String caption) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // half of them enter by the trigger alone
            if (this.random.nextBoolean()) {
                statement.execute("SELECT shardedid_enter(%s)".formatted(TwoDatabases.LAYOUT.shardOf(id)));
            }
            int changed;
            if (fresh) {
                changed = statement
                    .executeUpdate("INSERT INTO photo VALUES (%s, %s, '%s')".formatted(id, this.number, caption))
                        + statement
                            .executeUpdate("INSERT INTO comment VALUES (%s, %s, '%s')".formatted(id + 1, id, caption));
            }
            else if (caption == null) {
                changed = statement.executeUpdate("DELETE FROM comment WHERE id = %s".formatted(id + 1))
                        + statement.executeUpdate("DELETE FROM photo WHERE id = %s".formatted(id));
            }
            else {
                changed = statement
                    .executeUpdate("UPDATE photo SET caption = '%s' WHERE id = %s".formatted(caption, id))
                        + statement
                            .executeUpdate("UPDATE comment SET words = '%s' WHERE id = %s".formatted(caption, id + 1));
            }
            if (changed != 2) {
                throw new IllegalStateException("rows of photo %s are gone in %s by version %s: changed=%s, caption=%s"
                    .formatted(id, connection.getMetaData().getURL(), this.version, changed, caption));
            }
        }
    }

    private Connection connection(String database) throws SQLException {
        Connection connection = this.connections.get(database);
        if (connection == null) {
            connection = connect(database);
            this.connections.put(database, connection);
        }
        return connection;
    }

    private Connection connect(String database) throws SQLException {
        return (database.equals("a") ? this.databases.a : this.databases.b).connect(this.databases.name());
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
