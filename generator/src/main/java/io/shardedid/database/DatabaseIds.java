package io.shardedid.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;

/**
 * The SQL that lets a database make and read ids of a layout: for rows that plain SQL
 * inserts, beside those of the application. Its ids carry the worker id that no process
 * leases, so the two never collide; a layout without worker bits leaves all writing to
 * the database.
 */
public final class DatabaseIds {

    /** Names a lock of sessions: the first letters of this project. */
    private static final long LOCK = 0x7368617264656469L;

    /** How long the function sleeps at a time while it waits. */
    private static final Duration NAP = Duration.ofMillis(2);

    private static final String ID_OF_A_SQL_NAME = "[a-z_][a-z0-9_]{0,62}";

    private final IdLayout layout;

    private final int shards;

    private final ShardFunction shardFunction;

    private final Duration maxAhead;

    private final Duration maxWait;

    /**
     * Takes over what the application's ids are made by.
     * @param layout the layout
     * @param shards the number of logical shards
     * @param shardFunction {@code modulo} or {@code hash}
     * @param maxAhead how far ids may run ahead of the clock of the database
     * @param maxWait how long an insert may wait for an id
     * @throws ShardedIdConfigurationException if a database cannot make such ids
     */
    public DatabaseIds(IdLayout layout, int shards, ShardFunction shardFunction, Duration maxAhead, Duration maxWait) {
        if (!shardFunction.id().equals("modulo") && !shardFunction.id().equals("hash")) {
            throw new ShardedIdConfigurationException(
                    "A database knows the shard functions modulo and hash: shardedid.shard-function='%s'"
                        .formatted(shardFunction.id()));
        }
        layout.readOnlyReason().ifPresent((reason) -> {
            throw new ShardedIdConfigurationException(
                    "Ids of this layout can be read, not made: layout=%s (%s)".formatted(layout, reason));
        });
        this.layout = layout;
        this.shards = shards;
        this.shardFunction = shardFunction;
        this.maxAhead = maxAhead;
        this.maxWait = maxWait;
    }

    /**
     * Returns the script that creates sequence and functions in PostgreSQL 14 or later,
     * or replaces the functions.
     * @param schema where to, lower case; empty for the first of the search path
     * @return statements, each ended by a semicolon at the end of a line
     * @throws ShardedIdConfigurationException if the schema is no plain name
     */
    public String postgresql(String schema) {
        requirePlain(schema);
        return script(values(schema));
    }

    /**
     * Returns the script of a schema that is one logical shard, Instagram's way: a
     * counter and functions of its own, so that it can be moved to another server alone,
     * and {@code next_id()} for the default of a column. It makes no ids of other shards.
     * @param schema its name, lower case; created if it is not there
     * @param shard the shard, 0 to shards - 1; a shard has one such schema
     * @return statements, each ended by a semicolon at the end of a line
     * @throws ShardedIdConfigurationException if the schema is no plain name, or there is
     * no such shard
     */
    public String shardSchema(String schema, int shard) {
        requirePlain(schema);
        if (schema.isEmpty() || shard < 0 || shard >= this.shards) {
            throw new ShardedIdConfigurationException(
                    "A schema of one shard needs a name, and a shard in [0, %d]: schema='%s', shard=%d"
                        .formatted(this.shards - 1, schema, shard));
        }
        Map<String, String> values = values(schema);
        values.put("firstShard", String.valueOf(shard));
        values.put("lastShard", String.valueOf(shard));
        values.put("lock", String.valueOf(LOCK + 1 + shard));
        return """
                CREATE SCHEMA IF NOT EXISTS %1$s;

                %3$s
                CREATE OR REPLACE FUNCTION %1$s.next_id() RETURNS bigint
                LANGUAGE sql VOLATILE AS $$ SELECT %1$s.shardedid_next(%2$d) $$;
                """.formatted(schema, shard, script(values));
    }

    private static void requirePlain(String schema) {
        if (!schema.isEmpty() && !schema.matches(ID_OF_A_SQL_NAME)) {
            throw new ShardedIdConfigurationException(
                    "schema must be a plain name in lower case: schema='%s'".formatted(schema));
        }
    }

    private static String script(Map<String, String> values) {
        String script = template("postgresql.sql");
        for (Map.Entry<String, String> value : values.entrySet()) {
            script = script.replace("${" + value.getKey() + "}", value.getValue());
        }
        return script;
    }

    private Map<String, String> values(String schema) {
        IdLayout of = this.layout;
        boolean modulo = this.shardFunction.id().equals("modulo");
        String prefix = schema.isEmpty() ? "" : schema + ".";
        Map<String, String> values = new TreeMap<>();
        values.put("schema", prefix);
        values.put("fingerprint", of.fingerprint());
        values.put("epoch", of.epoch().toString());
        values.put("epochMicros", String.valueOf(Duration.between(Instant.EPOCH, of.epoch()).toNanos() / 1000));
        values.put("tickMicros", String.valueOf(of.tick().toNanos() / 1000));
        values.put("timeShift", String.valueOf(of.shardBits() + of.workerBits() + of.sequenceBits()));
        values.put("lastTick", String.valueOf(of.lastTick()));
        values.put("shards", String.valueOf(this.shards));
        values.put("lastInstant", of.lastUsableInstant().toString());
        values.put("firstShard", "0");
        values.put("lastShard", String.valueOf(this.shards - 1));
        values.put("shardShift", String.valueOf(of.shiftOf(IdField.SHARD)));
        values.put("shardMask", mask(of.shardBits()));
        values.put("sequenceShift", String.valueOf(of.shiftOf(IdField.SEQUENCE)));
        values.put("sequenceMask", mask(of.sequenceBits()));
        values.put("sequenceBits", String.valueOf(of.sequenceBits()));
        values.put("workerBits", String.valueOf(of.compose(0, 0, (1 << of.workerBits()) - 1, 0)));
        long maxAhead = this.maxAhead.dividedBy(of.tick());
        values.put("maxAhead", String.valueOf(maxAhead));
        values.put("cellsAhead", String.valueOf(maxAhead + 1 << of.sequenceBits()));
        values.put("maxWait", this.maxWait.toMillis() + " milliseconds");
        values.put("maxNaps", String.valueOf(this.maxWait.dividedBy(NAP)));
        values.put("lock", String.valueOf(LOCK));
        values.put("shardForNumber",
                modulo ? "mod(mod(key, %1$d) + %1$d, %1$d)::integer".formatted(this.shards)
                        : "mod(mod(%sshardedid_hash(key) + 18446744073709551616, 18446744073709551616), %d)::integer"
                            .formatted(prefix, this.shards));
        return values;
    }

    private static String mask(int bits) {
        return String.valueOf((1L << bits) - 1);
    }

    private static String template(String name) {
        try (InputStream script = DatabaseIds.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("script must be in the jar: name=" + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
