package io.shardedid.database;

import java.util.regex.Pattern;

import io.shardedid.ShardedIdConfigurationException;

/**
 * A trigger that gives a row its id before it is inserted, unless the row brings one.
 * Names are written as SQL wants them: quoted where they have to be.
 *
 * @param table the table, with its schema where the path does not lead there
 * @param id the column of the id, a 64-bit integer
 * @param kind what the column of the shard key holds
 * @param key the column of the shard key, empty with {@link KeyKind#NONE}
 * @param optionalKey whether the trigger chooses the shard of a row whose key is null,
 * whose insert fails otherwise; false with {@link KeyKind#NONE}
 * @since 0.1
 */
public record IdTrigger(String table, String id, KeyKind kind, String key, boolean optionalKey) {

    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*|\"[^\"]+\"");

    /**
     * Checks the names.
     * @param table the table
     * @param id the column of the id
     * @param kind what the key's column holds
     * @param key the key's column
     * @param optionalKey whether the key may be null
     * @throws ShardedIdConfigurationException if one is no name in SQL, or the key is
     * missing or too much
     */
    public IdTrigger {
        boolean qualified = table.length() > 0;
        for (String part : table.split("\\.", -1)) {
            qualified &= NAME.matcher(part).matches();
        }
        require(qualified, "table", table);
        require(NAME.matcher(id).matches(), "id", id);
        require((kind == KeyKind.NONE) ? key.isEmpty() && !optionalKey : NAME.matcher(key).matches(), "key", key);
    }

    /**
     * Makes rows take the shard of a key.
     * @param table the table
     * @param id the column of the id
     * @param kind what the key's column holds
     * @param key the key's column
     * @return the trigger
     */
    public static IdTrigger keyed(String table, String id, KeyKind kind, String key) {
        return new IdTrigger(table, id, kind, key, false);
    }

    /**
     * Makes a trigger that chooses the shards of rows, which have no key.
     * @param table the table
     * @param id the column of the id
     * @return the trigger
     */
    public static IdTrigger keyless(String table, String id) {
        return new IdTrigger(table, id, KeyKind.NONE, "", false);
    }

    /**
     * Returns the same trigger, which also chooses the shard of a row whose key is null,
     * as {@code @ShardedId(optionalKey = true)} does.
     * @return a trigger
     * @throws ShardedIdConfigurationException if there is no key
     */
    public IdTrigger withOptionalKey() {
        return new IdTrigger(this.table, this.id, this.kind, this.key, true);
    }

    /** The name of the trigger and its function, not yet quoted. */
    String name() {
        String name = "shardedid_on_" + bare(this.table).replace('.', '_');
        return (name.length() <= 63) ? name : name.substring(0, 54) + "_" + Integer.toHexString(name.hashCode());
    }

    /** The key as messages name it, within quotes of SQL. */
    String keyText() {
        return bare(this.table + "." + this.key).replace("'", "''");
    }

    private static String bare(String sql) {
        return sql.replace("\"", "");
    }

    private static void require(boolean rule, String what, String value) {
        if (!rule) {
            throw new ShardedIdConfigurationException(
                    "Could not write a trigger: %s='%s' (a name, quoted where SQL wants it; the key is empty if and only "
                        .formatted(what, value) + "if the database chooses the shard)");
        }
    }

}
