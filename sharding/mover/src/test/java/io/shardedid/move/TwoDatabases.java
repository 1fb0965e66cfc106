package io.shardedid.move;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.shards.ShardFence;

/**
 * Databases {@code a} and {@code b} on two servers, with the tables photo and comment, 20
 * shards, and a map in {@code a}, unless a test wants it elsewhere, that has all of them
 * there but shard 9, which is in {@code b}.
 */
final class TwoDatabases {

    static final IdLayout LAYOUT = IdLayout.standard();

    static final int SHARDS = 20;

    static final MoveLimits LIMITS = new MoveLimits(Duration.ofSeconds(5), Duration.ofMillis(200),
            Duration.ofSeconds(3), Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(20));

    private static final String SCHEMA = "?currentSchema=";

    private static final String TABLES = """
            CREATE TABLE photo (id bigint PRIMARY KEY, user_id bigint NOT NULL, caption text);
            CREATE INDEX photo_shard ON photo (((id >> 12) & 2047), id);
            CREATE TABLE comment (id bigint PRIMARY KEY, photo_id bigint NOT NULL REFERENCES photo ON DELETE CASCADE, words text);
            CREATE INDEX comment_shard ON comment (((id >> 12) & 2047), id);
            CREATE INDEX comment_photo ON comment (photo_id);
            """;

    private final Map<String, MovingServer> servers;

    /** The database with the map. */
    private final String home;

    /** The name of all databases, with what follows it in a URL. */
    private final String name;

    final MovingServer a;

    final MovingServer b;

    TwoDatabases(MovingServer a, MovingServer b, UnaryOperator<String> fence) {
        this(Map.of("a", a, "b", b), "a", created(a, b), fence);
    }

    private TwoDatabases(Map<String, MovingServer> servers, String home, String name, UnaryOperator<String> fence) {
        this.servers = servers;
        this.home = home;
        this.name = name;
        this.a = servers.get("a");
        this.b = servers.get("b");
        servers.values()
            .parallelStream()
            .forEach((server) -> server.execute(name, TABLES,
                    fence.apply(ShardFence.script(LAYOUT, SHARDS, "photo", "comment"))));
        execute(home, script(ShardFence.class, "shard-tables-postgresql.sql"),
                script(IdLayout.class, "lease-table-postgresql.sql"),
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) VALUES ('default', -1, 'map', 1, 71, 0, 0)",
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) SELECT 'default', s, CASE s WHEN 9 THEN 'b' ELSE 'a' END, 1, 71, 0, 0 FROM generate_series(0, 19) s");
        servers.keySet()
            .forEach((database) -> execute(database,
                    "UPDATE shardedid_home SET state = 'moved' WHERE '%s' <> CASE shard WHEN 9 THEN 'b' ELSE 'a' END"
                        .formatted(database)));
    }

    TwoDatabases(TwoServers servers) {
        this(servers.a, servers.b, UnaryOperator.identity());
    }

    /** Databases a and b, and c without rows, which has the map. */
    static TwoDatabases withMap(TwoServers servers) {
        return new TwoDatabases(Map.of("a", servers.a, "b", servers.b, "c", servers.c), "c",
                created(servers.a, servers.b, servers.c) + SCHEMA + "public", UnaryOperator.identity());
    }

    private static String created(MovingServer... servers) {
        String name = "m" + UUID.randomUUID().toString().replace("-", "");
        Stream.of(servers).parallel().forEach((server) -> server.execute("postgres", "CREATE DATABASE " + name));
        return name;
    }

    /**
     * Another application in a schema of databases a and b, with a map of its own in a.
     */
    TwoDatabases inSchema(String schema) {
        Map<String, MovingServer> both = Map.of("a", this.a, "b", this.b);
        both.keySet().forEach((database) -> execute(database, "CREATE SCHEMA " + schema));
        return new TwoDatabases(both, "a", this.name.substring(0, this.name.indexOf('?')) + SCHEMA + schema,
                UnaryOperator.identity());
    }

    private static String script(Class<?> beside, String name) {
        try (InputStream script = beside.getResourceAsStream(name)) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    String name() {
        return this.name;
    }

    MoveDatabases databases() {
        return new MoveDatabases(this.servers.entrySet()
            .stream()
            .collect(Collectors.toMap(Map.Entry::getKey,
                    (server) -> new MoveDatabases.Database(server.getValue().url(this.name), "postgres", "", null))),
                this.home, "default", null);
    }

    ShardMover mover() {
        return new ShardMover(databases(), LIMITS, (progress) -> {
        });
    }

    Move move(ShardRanges shards, Session.Probe probe) {
        return new Move(databases(), LIMITS, shards, (progress) -> {
        }, probe);
    }

    static long id(int shard, long tick) {
        return LAYOUT.compose(tick, shard, 1, 0);
    }

    /** Puts photos with two comments each into a shard. */
    void fill(String database, int shard, int photos) {
        execute(database, IntStream.range(0, photos).mapToObj((photo) -> {
            long id = id(shard, 1_000 + 10L * photo);
            return "INSERT INTO photo VALUES (%s, %s, 'photo %s')".formatted(id, shard, photo)
                    + "; INSERT INTO comment SELECT %s + i * 8388608::bigint, %1$s, 'words' FROM generate_series(1, 2) i"
                        .formatted(id);
        }).toArray(String[]::new));
    }

    void execute(String database, String... statements) {
        this.servers.get(database).execute(this.name, statements);
    }

    String query(String database, String sql) {
        return this.servers.get(database).query(this.name, sql);
    }

    /** Keeps the map for {@link #loseChanges}. */
    void keepMap() {
        execute(this.home, "DROP TABLE IF EXISTS kept", "CREATE TABLE kept AS SELECT * FROM shardedid_shard");
    }

    /** The map loses its last changes, as in a failover to a standby that lacks them. */
    void loseChanges() {
        execute(this.home,
                "DO $$ BEGIN DELETE FROM shardedid_shard; INSERT INTO shardedid_shard SELECT * FROM kept; END $$");
    }

    /** Does with the map what a problem of status says. */
    void mendMap(String problem) {
        execute(this.home, problem.substring(problem.indexOf(": UPDATE ") + 2));
    }

    /** What a fault says about a row; others go on meanwhile. */
    String where(KnownRows.Row row) {
        StringBuilder found = new StringBuilder(Thread.currentThread().getName() + " at " + Instant.now());
        for (String database : new String[] { "a", "b" }) {
            try {
                found.append(", rows in %s=%s (%s)".formatted(database,
                        query(database, "SELECT count(*) FROM %s WHERE id = %s".formatted(row.table(), row.id())),
                        state(database, row.shard())));
            }
            catch (AssertionError ex) {
                found.append(", %s does not answer".formatted(database));
            }
        }
        return found.toString();
    }

    String home(int shard) {
        return query(this.home, "SELECT home FROM shardedid_shard WHERE shard = " + shard);
    }

    String state(String database, int shard) {
        return query(database, "SELECT state FROM shardedid_home WHERE shard = " + shard);
    }

    /** All rows of a shard in a database, as one text. */
    String rows(String database, int shard) {
        return query(database, """
                SELECT coalesce(string_agg(row, ';' ORDER BY row), '') FROM (
                  SELECT photo::text AS row FROM photo WHERE (id >> 12) & 2047 = %1$s
                  UNION ALL SELECT comment::text FROM comment WHERE (id >> 12) & 2047 = %1$s) r""".formatted(shard));
    }

    /** What moves have left: slots, publications, subscriptions, marks, open moves. */
    String leftovers() {
        StringBuilder found = new StringBuilder();
        for (String database : new String[] { "a", "b" }) {
            found.append(query(database, """
                    SELECT coalesce(string_agg(x, ','), '') FROM (
                      SELECT 'slot ' || slot_name AS x FROM pg_replication_slots WHERE database = current_database()
                      UNION ALL SELECT 'publication ' || pubname FROM pg_publication
                      UNION ALL SELECT 'subscription ' || subname FROM pg_subscription
                        WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
                      UNION ALL SELECT 'mark' FROM shardedid_mark) l"""));
        }
        return found + query(this.home,
                "SELECT coalesce(string_agg('move of ' || shard, ','), '') FROM shardedid_shard WHERE step IS NOT NULL");
    }

}
