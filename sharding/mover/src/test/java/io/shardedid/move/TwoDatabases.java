package io.shardedid.move;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.shards.ShardFence;

/**
 * Databases {@code a} and {@code b} on two servers, and {@code c} if there is a third, of
 * an account without any right above an application's, with the tables photo and comment,
 * 20 shards, and a map in the first or the third that has all of them in {@code a} but
 * shard 9, which is in {@code b}.
 */
final class TwoDatabases {

    static final IdLayout LAYOUT = IdLayout.standard();

    static final int SHARDS = 20;

    static final Move.Limits LIMITS = new Move.Limits(Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ZERO,
            Duration.ZERO);

    static final Session.Probe NO_PROBE = (database, sql) -> {
    };

    private static final String TABLES = """
            CREATE TABLE photo (id bigint PRIMARY KEY, user_id bigint NOT NULL, caption text);
            CREATE INDEX photo_shard ON photo (((id >> 12) & 2047), id);
            CREATE TABLE comment (id bigint PRIMARY KEY, photo_id bigint NOT NULL REFERENCES photo ON DELETE CASCADE, words text);
            CREATE INDEX comment_shard ON comment (((id >> 12) & 2047), id);
            CREATE INDEX comment_photo ON comment (photo_id);
            """;

    private final Map<String, MovingServer> servers = new TreeMap<>();

    /** The name of all databases. */
    private final String name = "m" + UUID.randomUUID().toString().replace("-", "");

    /** The database with the map. */
    private final String map;

    /** A third database has the map in a schema of its own. */
    private final String schema;

    TwoDatabases(TwoServers servers) {
        this.map = (servers.c != null) ? "c" : "a";
        this.schema = (servers.c != null) ? "ids" : "public";
        this.servers.put("a", servers.a);
        this.servers.put("b", servers.b);
        if (servers.c != null) {
            this.servers.put("c", servers.c);
        }
        this.servers.values()
            .parallelStream()
            .forEach((server) -> server.execute("postgres", "CREATE DATABASE %s OWNER app".formatted(this.name)));
        this.servers.keySet()
            .parallelStream()
            .forEach((database) -> execute(database, TABLES, ShardFence.script(LAYOUT, SHARDS, "photo", "comment"),
                    "UPDATE shardedid_home SET state = 'moved' WHERE '%s' <> CASE shard WHEN 9 THEN 'b' ELSE 'a' END"
                        .formatted(database)));
        execute(this.map, "CREATE SCHEMA IF NOT EXISTS " + this.schema, "SET search_path = " + this.schema,
                script(ShardFence.class, "shard-tables-postgresql.sql"),
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) VALUES ('default', -1, 'map', 1, 71, 0, 0)",
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) SELECT 'default', s, CASE s WHEN 9 THEN 'b' ELSE 'a' END, 1, 71, 0, 0 FROM generate_series(0, 19) s");
        this.servers.keySet()
            .forEach((database) -> execute(this.map,
                    "INSERT INTO %s VALUES ('default', '%s', '%s')".formatted(beside("shardedid_database"), database,
                            query(database, "SELECT identity FROM shardedid_identity"))));
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

    MovingServer server(String database) {
        return this.servers.get(database);
    }

    MoveDatabases databases() {
        return databases(Map.of());
    }

    /** The databases, some with other URLs. */
    MoveDatabases databases(Map<String, String> urls) {
        return new MoveDatabases(
                this.servers.entrySet()
                    .stream()
                    .collect(Collectors.toMap(Map.Entry::getKey,
                            (server) -> new MoveDatabases.Database(
                                    urls.getOrDefault(server.getKey(), server.getValue().url(this.name)), "app", ""))),
                this.map, "default", leaseTable());
    }

    private String leaseTable() {
        return this.map.equals("c") ? beside("shardedid_worker") : "shardedid_worker";
    }

    /** Names a table of the map. */
    String beside(String table) {
        return this.schema + "." + table;
    }

    /** The properties of an application. */
    String properties() {
        return this.servers.keySet()
            .stream()
            .map((database) -> "shardedid.databases.%1$s.url=%2$s%nshardedid.databases.%1$s.username=app%n"
                .formatted(database, this.servers.get(database).url(this.name)))
            .collect(Collectors.joining("",
                    "shardedid.databases.home=%s%nshardedid.worker.lease.table=%s%n".formatted(this.map, leaseTable()),
                    ""));
    }

    ShardMover mover() {
        return mover(NO_PROBE);
    }

    ShardMover mover(Session.Probe probe) {
        return mover(databases(), probe);
    }

    static ShardMover mover(MoveDatabases databases, Session.Probe probe) {
        return new ShardMover(databases, LIMITS, (result) -> {
        }, probe);
    }

    /** With other limits for the pause, the patience, and the age of old rows. */
    ShardMover mover(Duration pause, Duration patience, Duration after, Session.Probe probe) {
        return new ShardMover(databases(), new Move.Limits(pause, patience, after, Duration.ZERO), (result) -> {
        }, probe);
    }

    static long id(int shard, long tick) {
        return LAYOUT.compose(tick, shard, 1, 0);
    }

    /** Puts photos with two comments each into a shard. */
    void fill(String database, int shard, int photos) {
        execute(database,
                """
                        INSERT INTO photo SELECT %1$s + (i::bigint << 23), %2$s, 'photo ' || i FROM generate_series(1, %3$s) i;
                        INSERT INTO comment SELECT p.id + k, p.id, 'words ' || k FROM photo p, generate_series(1, 2) k WHERE (p.id >> 12) & 2047 = %2$s"""
                    .formatted(id(shard, 1_000), shard, photos));
    }

    /** Executes statements as the account of the application. */
    void execute(String database, String... statements) {
        this.servers.get(database).executeAs("app", this.name, statements);
    }

    String query(String database, String sql) {
        return this.servers.get(database).query(this.name, sql);
    }

    Connection connect(String database) throws SQLException {
        return this.servers.get(database).connect(this.name, "app");
    }

    String map() {
        return this.map;
    }

    String home(int shard) {
        return query(this.map, "SELECT home FROM %s WHERE shard = %s".formatted(beside("shardedid_shard"), shard));
    }

    String step(int shard) {
        return query(this.map,
                "SELECT coalesce(step, '') FROM %s WHERE shard = %s".formatted(beside("shardedid_shard"), shard));
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

    /** The databases that take writes of a shard, and what the map says. */
    String where(int shard) {
        return Stream.of("a", "b", "c")
            .filter(this.servers::containsKey)
            .map((database) -> database + "=" + state(database, shard))
            .collect(Collectors.joining(" ", "map=" + home(shard) + " ", " " + step(shard)));
    }

}
