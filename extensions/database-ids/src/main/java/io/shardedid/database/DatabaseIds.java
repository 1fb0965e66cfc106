package io.shardedid.database;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;

import org.jspecify.annotations.Nullable;

/**
 * The SQL that lets PostgreSQL make and read ids of a layout: for rows that plain SQL
 * inserts, beside those of the application. Its ids carry the worker id that no process
 * leases, so the two never collide; a layout without worker bits leaves all writing to
 * the database. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class DatabaseIds {

    private static final String ID_OF_A_SQL_NAME = "[a-z_][a-z0-9_]{0,62}";

    private final IdLayout layout;

    private final int shards;

    private final ShardFunction shardFunction;

    private final Duration maxAhead;

    private final Duration maxWait;

    private final long firstTick;

    /** Whether {@link #since} has said that older ids are older. */
    private final boolean lineDeclared;

    private final int worker;

    /**
     * Takes over the settings by which the application makes its ids.
     * @param layout the layout
     * @param shards the number of logical shards
     * @param shardFunction {@code modulo} or {@code hash}
     * @param maxAhead how far ids may run ahead of the clock of the database
     * @param maxWait how long an insert may wait for an id
     * @throws ShardedIdConfigurationException if a database cannot make such ids
     */
    public DatabaseIds(IdLayout layout, int shards, ShardFunction shardFunction, Duration maxAhead, Duration maxWait) {
        this(layout, shards, shardFunction, maxAhead, maxWait, 0, false, lastWorker(layout));
        if (!shardFunction.id().equals("modulo") && !shardFunction.id().equals("hash")) {
            throw new ShardedIdConfigurationException(
                    "A database knows the shard functions modulo and hash: shardedid.shard-function='%s'"
                        .formatted(shardFunction.id()),
                    null, "shardedid.shard-function");
        }
        if (shards < 1 || shards > 1L << layout.shardBits()) {
            throw new ShardedIdConfigurationException("shards must be in [1, %s] (shard-bits=%s): shards=%s"
                .formatted(1L << layout.shardBits(), layout.shardBits(), shards), null, "shardedid.shards");
        }
    }

    private DatabaseIds(IdLayout layout, int shards, ShardFunction shardFunction, Duration maxAhead, Duration maxWait,
            long firstTick, boolean lineDeclared, int worker) {
        this.layout = layout;
        this.shards = shards;
        this.shardFunction = shardFunction;
        this.maxAhead = maxAhead;
        this.maxWait = maxWait;
        this.firstTick = firstTick;
        this.lineDeclared = lineDeclared;
        this.worker = worker;
    }

    private static int lastWorker(IdLayout layout) {
        return (1 << layout.workerBits()) - 1;
    }

    /**
     * Says when the first sharded id was made, as {@code shardedid.older-ids-before} does
     * for the application. The shard of an older id, which a row of another system may
     * have, means nothing: as a shard key it counts as a plain number. The database keeps
     * the time with its counter.
     * @param first the time of the very first lease, or of the day on which triggers came
     * into a table without any application
     * @return the same with that instant
     */
    public DatabaseIds since(Instant first) {
        return new DatabaseIds(this.layout, this.shards, this.shardFunction, this.maxAhead, this.maxWait,
                this.layout.tickAt(first), true, this.worker);
    }

    /**
     * Says when the very first lease was taken, which does not prove that older ids are
     * another system's: the lease table may have been lost. An insert whose shard key is
     * an older id of at least 41 significant bits fails, as
     * {@link io.shardedid.ShardedIds#shardOf} does, until {@link #since} decides; a
     * smaller number is a plain number.
     * @param first the time of the very first lease
     * @return the same with that instant
     */
    public DatabaseIds sinceFirstLease(Instant first) {
        return new DatabaseIds(this.layout, this.shards, this.shardFunction, this.maxAhead, this.maxWait,
                this.layout.tickAt(first), false, this.worker);
    }

    /**
     * Says which worker id the ids of this database carry, where rows meet those of
     * another database that makes ids, too. No lease table may give it out, so leave it
     * out of {@code shardedid.worker.lease.worker-ids} of each. It never changes while
     * there are rows.
     * @param worker 0 to 2<sup>worker bits</sup> - 1, which is the one of a database
     * alone
     * @return the same with that worker id
     * @throws ShardedIdConfigurationException if the layout has no such worker id
     */
    public DatabaseIds withWorker(int worker) {
        if (worker < 0 || worker > lastWorker(this.layout)) {
            throw new ShardedIdConfigurationException("worker must be in [0, %s] (worker-bits=%s): worker=%s"
                .formatted(lastWorker(this.layout), this.layout.workerBits(), worker));
        }
        return new DatabaseIds(this.layout, this.shards, this.shardFunction, this.maxAhead, this.maxWait,
                this.firstTick, this.lineDeclared, worker);
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
        if (schema.isEmpty() || shard < 0 || shard >= this.shards) {
            throw new ShardedIdConfigurationException(
                    "A schema of one shard needs a name, and a shard in [0, %s]: schema='%s', shard=%s"
                        .formatted(this.shards - 1, schema, shard));
        }
        return """
                CREATE SCHEMA IF NOT EXISTS %1$s;

                %3$s
                CREATE OR REPLACE FUNCTION %1$s.next_id() RETURNS bigint
                LANGUAGE sql VOLATILE AS $$ SELECT %1$s.shardedid_next(%2$s) $$;
                """.formatted(schema, shard,
                PostgresScript.script(List.of(PostgresScript.functions(values(schema, shard)))));
    }

    /**
     * Returns a script for PostgreSQL 14 or later that creates sequence, functions and
     * triggers, or replaces functions and triggers: for {@code psql}, Flyway and
     * Liquibase.
     * @param schema where to, lower case; empty for the first of the search path
     * @param triggers the triggers, for tables that are there
     * @return statements, each ended by a semicolon at the end of a line
     * @throws ShardedIdConfigurationException if the schema is no plain name
     */
    public String script(String schema, IdTrigger... triggers) {
        LayoutValues values = values(schema, null);
        List<String> statements = new ArrayList<>(List.of(PostgresScript.functions(values)));
        List.of(triggers).forEach((trigger) -> statements.addAll(PostgresScript.trigger(trigger, values)));
        return PostgresScript.script(statements);
    }

    private LayoutValues values(String schema, @Nullable Integer onlyShard) {
        if (!schema.isEmpty() && !schema.matches(ID_OF_A_SQL_NAME)) {
            throw new ShardedIdConfigurationException(
                    "schema must be a plain name in lower case: schema='%s'".formatted(schema));
        }
        return new LayoutValues(schema, this.layout, this.shards, this.shardFunction.id().equals("modulo"),
                this.maxAhead, this.maxWait, this.firstTick, this.lineDeclared, this.worker, onlyShard);
    }

}
