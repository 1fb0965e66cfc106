package io.shardedid.shards;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.ConfirmedCommit;
import io.shardedid.internal.lease.jdbc.KeeperDatabase;
import io.shardedid.internal.lease.jdbc.TableScript;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the shard map in a database, by plain JDBC, beside the lease table and on
 * its connection.
 *
 * <p>
 * Row -1 has the version of the whole map and its identity. Each change of the map first
 * raises that version and gives a new identity, which locks the row until the end of the
 * transaction, and then writes both into the rows of the shards that change. So versions
 * become visible in their order, each with all of its rows.
 */
final class SqlShardTable implements ShardTable {

    /** The row of the whole map. */
    private static final int MAP = -1;

    /** How many rows one statement inserts. */
    private static final int CHUNK = 512;

    /**
     * To look for a table and to make it takes no longer than so many slow statements.
     */
    private static final int SETUP_STATEMENTS = 2;

    /** A map is filled in no longer than so many slow statements take. */
    private static final int FILL_STATEMENTS = 4;

    private final LeaseStore leases;

    private final String namespace;

    /**
     * Makes the tables of a namespace.
     * @param leases the store of the leases, which is a database
     */
    SqlShardTable(LeaseStore leases, String namespace) {
        this.leases = leases;
        this.namespace = namespace;
    }

    @Override
    public void ensure() throws Exception {
        for (Table table : Table.values()) {
            use(table, SETUP_STATEMENTS, (session) -> session.ensure(table.probe));
        }
    }

    /**
     * Does some work with a table.
     * @param statements how many statements the work sends at most
     * @throws ShardMapException if it will fail again until something is changed
     * @throws Exception if the failure may pass by itself
     */
    private <T> T use(Table table, int statements, KeeperDatabase.Loan<T> work) throws Exception {
        try {
            return KeeperDatabase.lend(this.leases, table.script, statements, work);
        }
        catch (ShardedIdConfigurationException ex) {
            // without an answer of the database it is about the connection
            throw (ex.getCause() != null) ? new ShardMapException(ex.problem(), ex.getCause()) : ex;
        }
    }

    @Override
    public boolean fill(ShardMap map) throws Exception {
        return use(Table.SHARDS, FILL_STATEMENTS, (session) -> {
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
    private boolean stored(KeeperDatabase session, ShardMap map) throws SQLException {
        long identity = new SecureRandom().nextLong();
        try {
            session.bound(
                    "INSERT INTO %s (namespace, shard, home, version, identity, mover, changed_at) SELECT ?, ?, ?, 1, ?, 0, %s "
                        .formatted(session.table(), session.nowMillis())
                            + "FROM %s WHERE %s".formatted(session.oneRow(), session.writeCondition()),
                    this.namespace, MAP, "map", identity)
                .executeUpdate();
        }
        catch (SQLException ex) {
            if (session.duplicateKey(ex)) {
                return false;
            }
            throw ex;
        }
        for (int first = 0; first < map.shards(); first += CHUNK) {
            insert(session, map, identity, first, Math.min(first + CHUNK, map.shards()));
        }
        return true;
    }

    private void insert(KeeperDatabase session, ShardMap map, long identity, int first, int end) throws SQLException {
        String row = "(?, ?, ?, 1, ?, 0, %s)".formatted(session.nowMillis());
        String rows = IntStream.range(first, end).mapToObj((shard) -> row).collect(Collectors.joining(", "));
        try (PreparedStatement insert = session.connection()
            .prepareStatement("INSERT INTO %s (namespace, shard, home, version, identity, mover, changed_at) VALUES %s"
                .formatted(session.table(), rows))) {
            int at = 1;
            for (int shard = first; shard < end; shard++) {
                insert.setString(at++, this.namespace);
                insert.setInt(at++, shard);
                insert.setString(at++, map.databaseOf(shard));
                insert.setLong(at++, identity);
            }
            insert.executeUpdate();
        }
    }

    @Override
    public MapVersion version() throws Exception {
        return use(Table.SHARDS, 1, (session) -> {
            try (ResultSet found = session
                .bound("SELECT version, identity FROM %s WHERE namespace = ? AND shard = ?".formatted(session.table()),
                        this.namespace, MAP)
                .executeQuery()) {
                return found.next() ? new MapVersion(found.getLong(1), found.getLong(2)) : MapVersion.NONE;
            }
        });
    }

    /** One statement: so the version and the rows are of one point of time. */
    @Override
    public Rows read() throws Exception {
        return use(Table.SHARDS, 1, (session) -> {
            try (ResultSet found = session
                .bound("SELECT shard, home, version, identity FROM %s WHERE namespace = ?".formatted(session.table()),
                        this.namespace)
                .executeQuery()) {
                MapVersion version = MapVersion.NONE;
                List<Row> rows = new ArrayList<>();
                while (found.next()) {
                    if (found.getInt(1) == MAP) {
                        version = new MapVersion(found.getLong(3), found.getLong(4));
                    }
                    else {
                        rows.add(new Row(found.getInt(1), found.getString(2), found.getLong(3)));
                    }
                }
                return new Rows(version, rows);
            }
        });
    }

    @Override
    public List<Row> settled() throws Exception {
        return use(Table.SHARDS, 1, (session) -> {
            try (ResultSet found = session
                .bound("SELECT shard, home, version FROM %s WHERE namespace = ? AND shard > ? AND step IS NULL"
                    .formatted(session.table()), this.namespace, MAP)
                .executeQuery()) {
                List<Row> rows = new ArrayList<>();
                while (found.next()) {
                    rows.add(new Row(found.getInt(1), found.getString(2), found.getLong(3)));
                }
                return rows;
            }
        });
    }

    @Override
    public String note(String name, String identity) throws Exception {
        return use(Table.DATABASES, 3, (session) -> {
            String noted = noted(session, name);
            if (noted != null || identity.isEmpty()) {
                return (noted != null) ? noted : identity;
            }
            try {
                session.confirmed(session.bound(
                        "INSERT INTO %s (namespace, name, identity) SELECT ?, ?, ? FROM %s WHERE %s"
                            .formatted(session.table(), session.oneRow(), session.writeCondition()),
                        this.namespace, name, identity));
                return identity;
            }
            catch (SQLException ex) {
                String other = session.duplicateKey(ex) ? noted(session, name) : null;
                if (other == null) {
                    throw ex;
                }
                return other;
            }
        });
    }

    private @Nullable String noted(KeeperDatabase session, String name) throws SQLException {
        try (ResultSet found = session
            .bound("SELECT identity FROM %s WHERE namespace = ? AND name = ?".formatted(session.table()),
                    this.namespace, name)
            .executeQuery()) {
            return found.next() ? found.getString(1) : null;
        }
    }

    /** The two tables. */
    private enum Table {

        /** The shards. A process inserts rows only where there is no map. */
        SHARDS("shardedid_shard", "SELECT, INSERT", (session) -> {
            session.bound(
                    "SELECT shard, home, version, identity, mover, source, target, step, changed_at FROM %s WHERE namespace = ? AND shard < ?"
                        .formatted(session.table()),
                    "", MAP)
                .executeQuery()
                .close();
            return true;
        }),

        /** The databases behind the names. */
        DATABASES("shardedid_database", "SELECT, INSERT", (session) -> {
            session.bound("SELECT identity FROM %s WHERE namespace = ? AND name = ?".formatted(session.table()), "", "")
                .executeQuery()
                .close();
            return true;
        });

        private final TableScript script;

        /** Every statement that is always needed, so that it finds no row. */
        private final KeeperDatabase.Loan<Boolean> probe;

        Table(String name, String rights, KeeperDatabase.Loan<Boolean> probe) {
            this.script = new TableScript("table of the shard map", name, "io/shardedid/shards/shard-tables",
                    "the jar of 'shardedid-shards'", SqlShardTable.class, rights);
            this.probe = probe;
        }

    }

}
