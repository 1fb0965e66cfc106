package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.shardedid.ShardedIdException;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardMapException;
import io.shardedid.shards.ShardRouter;
import io.shardedid.shards.ShardTable;

/**
 * The tables of the shard map in a database, by plain JDBC, beside the lease table and on
 * its connection.
 *
 * <p>
 * Row -1 has the version of the whole map. Whoever changes the map first raises that
 * version, which locks the row until the end of the transaction, and then writes the new
 * version into the rows of the shards that change. So versions become visible in their
 * order, each with all of its rows, and a reader that asks for rows of a later version
 * than its own misses none.
 */
final class SqlShardTable implements ShardTable {

    static final String SHARDS = "shardedid_shard";

    static final String ROUTERS = "shardedid_router";

    /** The row of the whole map. */
    private static final int MAP = -1;

    /** How many rows one statement inserts. */
    private static final int CHUNK = 512;

    /** The rows of routers that ended without a word go after a day. */
    private static final long FORGOTTEN_MILLIS = Duration.ofDays(1).toMillis();

    /** What sets the tables up takes no longer than so many slow statements. */
    private static final int SETUP_STATEMENTS = 4;

    /** SQLState class of a statement that the database does not understand. */
    private static final String NOT_UNDERSTOOD = "42";

    private final SqlLeaseTable leases;

    private final String namespace;

    private final LeaseTableSetup shards;

    private final LeaseTableSetup routers;

    SqlShardTable(SqlLeaseTable leases, String namespace) {
        this.leases = leases;
        this.namespace = namespace;
        this.shards = new LeaseTableSetup(new OfShards(leases.name().beside(SHARDS)), leases.initialization());
        this.routers = new LeaseTableSetup(new OfRouters(leases.name().beside(ROUTERS)), leases.initialization());
    }

    @Override
    public void ensure() throws Exception {
        this.leases.beside(SETUP_STATEMENTS, (session) -> {
            this.shards.ensure(session);
            this.routers.ensure(session);
            return true;
        });
    }

    @Override
    public boolean fill(ShardMap map) throws Exception {
        return ask(this.shards, SETUP_STATEMENTS, (session) -> {
            Connection connection = session.connection();
            connection.setAutoCommit(false);
            boolean stored = false;
            try {
                stored = stored(session, map);
                if (stored) {
                    ConfirmedCommit.commit(connection);
                }
                return stored;
            }
            finally {
                if (!stored) {
                    connection.rollback();
                }
                connection.setAutoCommit(true);
            }
        });
    }

    /** The row of the map comes first: of two that fill the table, one waits there. */
    private boolean stored(LeaseSession session, ShardMap map) throws SQLException {
        try {
            session
                .bound("INSERT INTO %s (namespace, shard, home, version, mover, changed_at) SELECT ?, ?, ?, 1, 0, %s "
                    .formatted(quoted(session, this.shards), session.sql().dialect().nowMillis())
                        + "FROM %s WHERE %s".formatted(session.sql().dialect().oneRow(),
                                session.sql().dialect().writeCondition()),
                        this.namespace, MAP, "map")
                .executeUpdate();
        }
        catch (SQLException ex) {
            if (LeaseSession.violatesConstraint(ex)) {
                return false;
            }
            throw ex;
        }
        for (int first = 0; first < map.shards(); first += CHUNK) {
            insert(session, map, first, Math.min(first + CHUNK, map.shards()));
        }
        return true;
    }

    private void insert(LeaseSession session, ShardMap map, int first, int end) throws SQLException {
        String row = "(?, ?, ?, 1, 0, %s)".formatted(session.sql().dialect().nowMillis());
        String rows = IntStream.range(first, end).mapToObj((shard) -> row).collect(Collectors.joining(", "));
        try (PreparedStatement insert = session.connection()
            .prepareStatement("INSERT INTO %s (namespace, shard, home, version, mover, changed_at) VALUES %s"
                .formatted(quoted(session, this.shards), rows))) {
            int at = 1;
            for (int shard = first; shard < end; shard++) {
                insert.setString(at++, this.namespace);
                insert.setInt(at++, shard);
                insert.setString(at++, map.databaseOf(shard));
            }
            insert.executeUpdate();
        }
    }

    @Override
    public long version() throws Exception {
        return ask(this.shards, 1, (session) -> {
            try (ResultSet found = session
                .bound("SELECT version FROM %s WHERE namespace = ? AND shard = ?"
                    .formatted(quoted(session, this.shards)), this.namespace, MAP)
                .executeQuery()) {
                return found.next() ? found.getLong(1) : 0;
            }
        });
    }

    /** One statement: so the version and the rows are of one point of time. */
    @Override
    public Rows changedSince(long known) throws Exception {
        return ask(this.shards, 1, (session) -> {
            try (ResultSet found = session
                .bound("SELECT shard, home, version FROM %s WHERE namespace = ? AND (version > ? OR shard = ?)"
                    .formatted(quoted(session, this.shards)), this.namespace, known, MAP)
                .executeQuery()) {
                long version = 0;
                List<Row> rows = new ArrayList<>();
                while (found.next()) {
                    if (found.getInt(1) == MAP) {
                        version = found.getLong(3);
                    }
                    else {
                        rows.add(new Row(found.getInt(1), found.getString(2)));
                    }
                }
                return new Rows(version, rows);
            }
        });
    }

    @Override
    public void acknowledge(String process, long version, Duration lease) throws Exception {
        ask(this.routers, 3, (session) -> {
            String table = quoted(session, this.routers);
            LeaseDialect dialect = session.sql().dialect();
            int known = session.confirmed(session.bound(
                    "UPDATE %s SET version_seen = ?, seen_at = %s, lease_until = %2$s + ? WHERE namespace = ? AND process = ? AND %s"
                        .formatted(table, dialect.nowMillis(), dialect.writeCondition()),
                    version, lease.toMillis(), this.namespace, process));
            if (known == 0) {
                session
                    .bound("DELETE FROM %s WHERE namespace = ? AND lease_until < %s - ?".formatted(table,
                            dialect.nowMillis()), this.namespace, FORGOTTEN_MILLIS)
                    .executeUpdate();
                session.confirmed(session.bound(
                        "INSERT INTO %s (namespace, process, version_seen, seen_at, lease_until) SELECT ?, ?, ?, %s, %2$s + ? FROM %s WHERE %s"
                            .formatted(table, dialect.nowMillis(), dialect.oneRow(), dialect.writeCondition()),
                        this.namespace, process, version, lease.toMillis()));
            }
            return true;
        });
    }

    @Override
    public void leave(String process) throws Exception {
        ask(this.routers, 1,
                (session) -> session
                    .bound("DELETE FROM %s WHERE namespace = ? AND process = ?"
                        .formatted(quoted(session, this.routers)), this.namespace, process)
                    .executeUpdate());
    }

    @Override
    public List<ShardRouter> routers() throws Exception {
        return ask(this.routers, 1, (session) -> {
            try (ResultSet found = session.bound(
                    "SELECT process, version_seen, seen_at, lease_until FROM %s WHERE namespace = ? AND lease_until >= %s ORDER BY version_seen, seen_at, process"
                        .formatted(quoted(session, this.routers), session.sql().dialect().nowMillis()),
                    this.namespace)
                .executeQuery()) {
                List<ShardRouter> routers = new ArrayList<>();
                while (found.next()) {
                    routers.add(new ShardRouter(found.getString(1), found.getLong(2),
                            Instant.ofEpochMilli(found.getLong(3)), Instant.ofEpochMilli(found.getLong(4))));
                }
                return List.copyOf(routers);
            }
        });
    }

    @Override
    public List<Row> settled() throws Exception {
        return ask(this.shards, 1, (session) -> {
            try (ResultSet found = session
                .bound("SELECT shard, home FROM %s WHERE namespace = ? AND shard > ? AND step IS NULL"
                    .formatted(quoted(session, this.shards)), this.namespace, MAP)
                .executeQuery()) {
                List<Row> rows = new ArrayList<>();
                while (found.next()) {
                    rows.add(new Row(found.getInt(1), found.getString(2)));
                }
                return rows;
            }
        });
    }

    /** Does some work; what will fail again is told with what to do. */
    private <T> T ask(LeaseTableSetup table, int statements, SqlLeaseTable.Work<T> work) throws Exception {
        return this.leases.beside(statements, (session) -> {
            try {
                return work.on(session);
            }
            catch (SQLException ex) {
                LeaseDialect dialect = session.sql().dialect();
                boolean lasts = dialect.missingTable(ex) || dialect.missingRight(ex) || dialect.readOnly(ex)
                        || String.valueOf(ex.getSQLState()).startsWith(NOT_UNDERSTOOD);
                throw lasts ? table.refusal(session, ex) : ex;
            }
        });
    }

    private static String quoted(LeaseSession session, LeaseTableSetup table) throws SQLException {
        DatabaseMetaData database = session.connection().getMetaData();
        return session.sql().dialect().quoted(table.table().name(), database);
    }

    /** What both tables have in common. */
    private interface OfMap extends LeaseTableSetup.Table {

        @Override
        default String what() {
            return "table of the shard map";
        }

        @Override
        default String scripts() {
            return "io/shardedid/shards/shard-tables";
        }

        @Override
        default String nameInScripts() {
            return name().table();
        }

        @Override
        default ShardedIdException refusal(String message, SQLException cause) {
            return new ShardMapException(message, cause);
        }

    }

    /**
     * The table of the shards. A process inserts rows only where there is no map.
     *
     * @param name its name
     */
    private record OfShards(LeaseTableName name) implements OfMap {

        @Override
        public String rights() {
            return "SELECT, INSERT";
        }

        @Override
        public void probe(LeaseSession session) throws SQLException {
            DatabaseMetaData database = session.connection().getMetaData();
            session.bound(
                    "SELECT shard, home, version, mover, source, target, step, changed_at FROM %s WHERE namespace = ? AND shard < ?"
                        .formatted(session.sql().dialect().quoted(this.name, database)),
                    "", MAP)
                .executeQuery()
                .close();
        }

    }

    /**
     * The table of the routers.
     *
     * @param name its name
     */
    private record OfRouters(LeaseTableName name) implements OfMap {

        @Override
        public String rights() {
            return "SELECT, INSERT, UPDATE, DELETE";
        }

        @Override
        public void probe(LeaseSession session) throws SQLException {
            DatabaseMetaData database = session.connection().getMetaData();
            String table = session.sql().dialect().quoted(this.name, database);
            session
                .bound("SELECT version_seen, seen_at, lease_until FROM %s WHERE namespace = ? AND process = ?"
                    .formatted(table), "", "")
                .executeQuery()
                .close();
            session.bound(
                    "UPDATE %s SET version_seen = 0, seen_at = 0, lease_until = 0 WHERE namespace = ? AND process = ?"
                        .formatted(table),
                    "", "")
                .executeUpdate();
            session.bound("DELETE FROM %s WHERE namespace = ? AND process = ?".formatted(table), "", "")
                .executeUpdate();
            session.bound(
                    "INSERT INTO %s (namespace, process, version_seen, seen_at, lease_until) SELECT ?, ?, 0, 0, 0 FROM %s WHERE 1 = 0"
                        .formatted(table, session.sql().dialect().oneRow()),
                    "", "")
                .executeUpdate();
        }

    }

}
