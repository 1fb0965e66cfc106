package io.shardedid.shards;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import io.shardedid.IdField;
import io.shardedid.IdLayout;

/**
 * The fence in PostgreSQL, 15 or later, around the shards of a database. A transaction
 * that inserts, updates or deletes a row enters the shard of the row once: from then on
 * until it ends, no mover can move that shard away, and a transaction that comes too late
 * fails.
 *
 * @since 0.1
 */
public final class ShardFence {

    /** The SQLSTATE of "the shard is not in this database". */
    public static final String MOVED = "SI001";

    /** Lets the transaction enter a shard, the parameter; by the search path. */
    public static final String ENTER = "SELECT shardedid_enter(?)";

    private static final String SCRIPT = "shard-fence-postgresql.sql";

    private ShardFence() {
    }

    /**
     * Returns the script of the fence, for {@code psql}, Flyway and Liquibase. It belongs
     * into every database that holds shards, in the schema of the tables, and it may run
     * again at any time.
     * @param layout the layout of the ids
     * @param shards the number of logical shards
     * @param tables the tables, as SQL names them, whose primary key is a sharded id in a
     * column {@code id}; they have to exist
     * @return statements, each ended by a semicolon at the end of a line
     * @throws ShardMapException if the layout has not so many shards
     */
    public static String script(IdLayout layout, int shards, String... tables) {
        if (shards < 1 || shards > 1L << layout.shardBits()) {
            throw new ShardMapException(
                    "Could not write the fence: shards must be in [1, %s] (shard-bits=%s): shards=%s"
                        .formatted(1L << layout.shardBits(), layout.shardBits(), shards));
        }
        StringBuilder script = new StringBuilder(read()).append("\nSELECT shardedid_homes(%s);\n".formatted(shards));
        for (String table : tables) {
            script.append("SELECT shardedid_fence('%s', 'id', %s, %s);\n".formatted(table.replace("'", "''"),
                    layout.shiftOf(IdField.SHARD), (1L << layout.shardBits()) - 1));
        }
        return script.toString();
    }

    private static String read() {
        try (InputStream script = ShardFence.class.getResourceAsStream(SCRIPT)) {
            if (script == null) {
                throw new IllegalStateException("script must be in the jar: name=" + SCRIPT);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
