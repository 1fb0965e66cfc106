package io.shardedid.internal.lease.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdConfigurationException;

import org.jspecify.annotations.Nullable;

/**
 * The name of the lease table, as an SQL script would say it without quotes.
 *
 * @param schema the schema (MariaDB, MySQL: the database), or null for the connection's
 * own
 * @param table the table
 */
record LeaseTableName(@Nullable String schema, String table) {

    static final LeaseTableName DEFAULT = new LeaseTableName(null, "shardedid_worker");

    private static final String PART = "[A-Za-z_][A-Za-z0-9_$]{0,62}";

    private static final Pattern NAME = Pattern.compile("(?:(" + PART + ")\\.)?(" + PART + ")");

    /**
     * Reads a name.
     * @throws ShardedIdConfigurationException if it is not {@code table} or
     * {@code schema.table}
     */
    static LeaseTableName of(String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new ShardedIdConfigurationException(
                    ("table name must be 'table' or 'schema.table': shardedid.worker.lease.table='%s' (each part: "
                            + "a letter or '_', then at most 62 letters, digits, '_' or '$')")
                        .formatted(name),
                    "rename the table", "shardedid.worker.lease.table");
        }
        return new LeaseTableName(parts.group(1), parts.group(2));
    }

    /** Returns the name of a table in the same schema. */
    LeaseTableName beside(String otherTable) {
        return new LeaseTableName(this.schema, otherTable);
    }

    @Override
    public String toString() {
        return (this.schema != null) ? this.schema + "." + this.table : this.table;
    }

}
