package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/** Asks all databases who takes the writes of which shards, and what moves have left. */
final class MoveSurvey {

    /**
     * A router writes its row every 200 s, and reads the map within a minute or so. What
     * keeps it from going by a new one is in its log.
     */
    private static final String ROUTERS = """
            SELECT 'router ' || process || ', version=' || version_seen || ', seen=' || date_trunc('second', to_timestamp(seen_at / 1000.0))
                   || CASE WHEN waits < 120 THEN ''
                      ELSE ' (for ' || waits || ' s now; if it lives, its log names the shards that it still uses: end these uses, or the process; when it has ended: ''dead "'
                           || process || '" --yes'')' END
              FROM (SELECT *, (%s - extract(epoch FROM ?::timestamptz) * 1000)::bigint / 1000 AS waits FROM %s) r
             WHERE namespace = ?%s ORDER BY seen_at, process LIMIT 10""";

    private static final String SETTLED = "SELECT shard, home, version, identity, mover FROM %s WHERE namespace = ? AND shard >= 0 AND step IS NULL";

    /** The subscriptions of moves to the schema of the fence, and others of its moves. */
    private static final String SUBSCRIPTIONS = """
            SELECT subname, subenabled, coalesce(apply_error_count + sync_error_count, 0)
              FROM pg_subscription s LEFT JOIN pg_stat_subscription_stats USING (subname)
             WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND EXISTS (SELECT FROM pg_subscription_rel WHERE srsubid = s.oid AND srrelid = to_regclass(?))
             ORDER BY 1""";

    private final MoveDatabases databases;

    /** How long writers may wait for a mover. */
    private final Duration pause;

    private final Map<Integer, String> homes = new TreeMap<>();

    /** The rows of the map of shards that do not move, by the shard. */
    private final Map<Integer, List<@Nullable String>> settled = new TreeMap<>();

    /** Whether a move has begun since the map was read. */
    private boolean moved;

    /** Where the homes of each database are, as names of moves have it. */
    private final Map<String, String> places = new HashMap<>();

    /** What each database that has answered says about shards. */
    private final Map<String, Map<Integer, Home>> states = new TreeMap<>();

    private final List<Open> moves = new ArrayList<>();

    private final Map<String, List<List<@Nullable String>>> subscriptions = new HashMap<>();

    private final List<MoveStatus.Slot> slots = new ArrayList<>();

    private final List<String> unknown = new ArrayList<>();

    private final List<String> problems = new ArrayList<>();

    MoveSurvey(MoveDatabases databases, Duration pause) {
        this.databases = databases;
        this.pause = pause;
    }

    /** The shards of the moves that are not finished. */
    static List<ShardRanges> openMoves(Session map, MoveDatabases databases) throws SQLException {
        return map.texts(
                "SELECT string_agg(shard::text, ',') FROM %s WHERE namespace = ? AND shard >= 0 AND step IS NOT NULL GROUP BY source, target, step, mover"
                    .formatted(map.mapTable(databases, "shardedid_shard")),
                databases.namespace())
            .stream()
            .map(ShardRanges::parse)
            .toList();
    }

    /** Reads the moves that are not finished. */
    private void moves(Session map) throws SQLException {
        String routers = map.mapTable(this.databases, "shardedid_router");
        boolean routed = map.holds("SELECT to_regclass(?) IS NOT NULL", routers);
        for (List<@Nullable String> row : map.rows(
                "SELECT string_agg(shard::text, ','), source, target, step, mover, max(version), to_timestamp(max(changed_at) / 1000.0) FROM %s WHERE namespace = ? AND shard >= 0 AND step IS NOT NULL AND source IS NOT NULL AND target IS NOT NULL GROUP BY source, target, step, mover ORDER BY min(shard)"
                    .formatted(map.mapTable(this.databases, "shardedid_shard")),
                this.databases.namespace())) {
            ShardRanges shards = ShardRanges.parse(text(row, 0));
            Open move = new Open(shards, text(row, 1), text(row, 2), text(row, 3), Long.parseLong(text(row, 4)),
                    text(row, 6), !MapRows.movers(map, this.databases, shards).isEmpty());
            if (routed && move.isIn("clean", "empty")) {
                move.waitsFor.addAll(map.texts(
                        ROUTERS.formatted(MapRows.NOW, routers,
                                OlderRouters.behind(map.mapTable(this.databases, "shardedid_shard"), text(row, 5))),
                        text(row, 6), this.databases.namespace()));
            }
            this.moves.add(move);
        }
    }

    private static String text(List<@Nullable String> row, int column) {
        return Objects.requireNonNull(row.get(column));
    }

    /** Reads who is to take the writes, and who moves. */
    void map(Session map) throws SQLException {
        moves(map);
        String table = map.mapTable(this.databases, "shardedid_shard");
        String halves = map.text(
                "SELECT string_agg(shard::text, ',' ORDER BY shard) FROM %s WHERE namespace = ? AND num_nonnulls(source, target, step) IN (1, 2)"
                    .formatted(table),
                this.databases.namespace());
        if (!halves.isEmpty()) {
            unknown(map.database(),
                    "rows of the shard map are of no mover: shards=%s (source, target and step are all set or all NULL); find out who wrote them, and mend them in %s"
                        .formatted(halves, table));
        }
        for (List<@Nullable String> row : map.rows("SELECT shard, home FROM %s WHERE namespace = ? AND shard >= 0"
            .formatted(map.mapTable(this.databases, "shardedid_shard")), this.databases.namespace())) {
            this.homes.put(Integer.valueOf(String.valueOf(row.get(0))), String.valueOf(row.get(1)));
        }
        this.settled.putAll(settled(map));
        unnamed();
    }

    private Map<Integer, List<@Nullable String>> settled(Session map) throws SQLException {
        Map<Integer, List<@Nullable String>> found = new TreeMap<>();
        for (List<@Nullable String> row : map.rows(SETTLED.formatted(map.mapTable(this.databases, "shardedid_shard")),
                this.databases.namespace())) {
            found.put(Integer.valueOf(text(row, 0)), row);
        }
        return found;
    }

    /** The map may name a database that this mover cannot reach. */
    private void unnamed() {
        Map<String, List<String>> shards = new TreeMap<>();
        this.homes.forEach(
                (shard, home) -> shards.computeIfAbsent(home, (key) -> new ArrayList<>()).add(String.valueOf(shard)));
        this.moves.forEach(
                (move) -> shards.computeIfAbsent(move.target, (key) -> new ArrayList<>()).add(move.shards.toString()));
        shards.keySet().removeAll(this.databases.databases().keySet());
        shards.forEach((database, all) -> unknown(database,
                MoveDatabases.missing(database, "shards=" + ShardRanges.parse(String.join(",", all)))));
    }

    /**
     * Reads the map once more, when all databases have answered: what has moved meanwhile
     * was perhaps seen on its way.
     */
    void again(Session map) throws SQLException {
        this.moved = this.settled.entrySet().retainAll(settled(map).entrySet());
    }

    /** Asks one database. */
    void ask(Session session) throws SQLException {
        boolean moving = this.moves.stream().anyMatch((move) -> move.source.equals(session.database()));
        for (List<@Nullable String> row : session
            .rows("""
                    SELECT slot_name, active, coalesce(wal_status, ''), coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint
                      FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database() ORDER BY 1""",
                    Replication.SLOTS)) {
            this.slots.add(new MoveStatus.Slot(session.database(), Objects.requireNonNull(row.get(0)),
                    "t".equals(row.get(1)), text(row, 2), Long.parseLong(row.get(3)), moving));
        }
        if (session.isFenced()) {
            Map<Integer, Home> found = new HashMap<>();
            for (List<@Nullable String> row : session.rows(
                    "SELECT shard, state, (extract(epoch FROM changed_at) * 1000)::bigint, (extract(epoch FROM clock_timestamp() - changed_at) * 1000)::bigint, mover FROM "
                            + session.own("shardedid_home"))) {
                found.put(Integer.valueOf(text(row, 0)),
                        new Home(text(row, 1), Instant.ofEpochMilli(Long.parseLong(text(row, 2))),
                                Long.parseLong(text(row, 3)), Long.parseLong(text(row, 4))));
            }
            this.states.put(session.database(), found);
            this.places.put(session.database(), Replication.at(session));
            this.subscriptions.put(session.database(), session.rows(SUBSCRIPTIONS, session.own("shardedid_mark")));
            for (Open move : this.moves) {
                if (move.source.equals(session.database())) {
                    source(session, move);
                }
                else if (move.target.equals(session.database())) {
                    target(session, move);
                }
            }
        }
    }

    private void source(Session session, Open move) throws SQLException {
        mended(session, move);
        addWaits(session, Transactions.thatBlockMovers(session), move);
        if (move.isIn("empty")) {
            addWaits(session, Transactions.before(session, move.changedAt), move);
        }
        if (move.isIn("copy")) {
            addWaits(session, Transactions.thatKeep(session, move.shards, 60), move);
            move.total = size(session, move);
        }
    }

    private void target(Session session, Open move) throws SQLException {
        mended(session, move);
        addWaits(session, Transactions.thatBlockMovers(session), move);
        if (move.isIn("copy")) {
            MovePlan.Table all = size(session, move);
            if (all != null) {
                List<@Nullable String> now = session.rows(
                        "SELECT coalesce(sum(tuples_processed), 0), coalesce(sum(bytes_processed), 0) FROM pg_stat_progress_copy WHERE datname = current_database() AND type = 'CALLBACK'")
                    .get(0);
                move.copied = new MovePlan.Table("", all.rows() + Long.parseLong(now.get(0)),
                        all.bytes() + Long.parseLong(now.get(1)));
            }
        }
    }

    /** What an operator has to mend before a move goes on. */
    private void mended(Session session, Open move) throws SQLException {
        Fences fences = Fences.of(session);
        fences.problems()
            .values()
            .forEach((problem) -> this.problems.add("%s; then 'resume %s'".formatted(problem, move.shards)));
        if (session.database().equals(move.source)) {
            Set<String> published = Set.copyOf(session.texts(
                    "SELECT prrelid FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid WHERE pubname = ? AND (pubupdate OR pubdelete)",
                    name(move)));
            for (FencedTable table : fences.tables()) {
                if (published.contains(String.valueOf(table.oid())) && !TableChecks.identifies(session, table)) {
                    this.problems.add(
                            "UPDATES AND DELETES OF TABLE %s FAIL in %s, in all shards: its replica identity lacks column %s, and the move of shards %s publishes it; run there: ALTER TABLE %s REPLICA IDENTITY FULL; then 'resume %4$s'"
                                .formatted(table.name(), session.database(), table.id(), move.shards, table.sql()));
                }
            }
        }
    }

    private static void addWaits(Session session, List<String> transactions, Open move) {
        transactions.stream()
            .map((transaction) -> "transaction in %s: %s".formatted(session.database(), transaction))
            .filter((transaction) -> !move.waitsFor.contains(transaction))
            .forEach(move.waitsFor::add);
    }

    /** Returns null if that takes too long. */
    private static MovePlan.@Nullable Table size(Session session, Open move) throws SQLException {
        long rows = 0;
        long bytes = 0;
        try {
            for (FencedTable table : Fences.of(session).tables()) {
                MovePlan.Table size = table.size(session, move.shards);
                rows += size.rows();
                bytes += size.bytes();
            }
        }
        catch (SQLException ex) {
            if (!MoveContext.CANCELLED.equals(ex.getSQLState())) {
                throw ex;
            }
            return null;
        }
        return new MovePlan.Table("", rows, bytes);
    }

    /** Notes that a database has not answered. */
    void unknown(String database, String why) {
        this.unknown.add("%s: %s".formatted(database, why));
    }

    /** Notes what is wrong with the map. */
    void problems(List<String> found) {
        this.problems.addAll(found);
    }

    MoveStatus status() {
        leftCopies();
        return new MoveStatus(refused(false), refused(true), twice(), this.moves.stream().map(this::open).toList(),
                List.copyOf(this.slots), MoveException.lines(this.unknown), MoveException.lines(this.problems));
    }

    /** The name of a move; empty if its source has not answered. */
    private String name(Open move) {
        return name(move.source, move.target, move.shards);
    }

    private String name(String source, String target, ShardRanges shards) {
        String place = this.places.get(source);
        return (place == null) ? "" : Replication.name(this.databases.namespace(), source, target, shards, place);
    }

    /**
     * Names what a move that was aborted without its target has left there: shards that
     * await their rows, and a subscription.
     */
    private void leftCopies() {
        this.states.forEach((database, homes) -> {
            Map<Copied, List<String>> copies = new TreeMap<>(
                    Comparator.comparing(Copied::home).thenComparing(Copied::mover));
            new TreeMap<>(homes).forEach((shard, home) -> {
                List<@Nullable String> row = this.settled.get(shard);
                if (row != null && home.state.equals("arriving") && !text(row, 1).equals(database)) {
                    copies.computeIfAbsent(new Copied(text(row, 1), home.mover), (key) -> new ArrayList<>())
                        .add(String.valueOf(shard));
                }
            });
            Set<String> known = this.moves.stream().map(this::name).collect(Collectors.toCollection(HashSet::new));
            copies.forEach((copied, all) -> {
                ShardRanges shards = ShardRanges.parse(String.join(",", all));
                known.add(name(copied.home, database, shards));
                this.problems.add(
                        "Copies of shards %s are left in %s, which no open move needs (their state there is 'arriving'): 'reconcile %1$s'"
                            .formatted(shards, database));
            });
            // a source that has not answered does not say what its moves are called
            boolean all = this.moves.stream().noneMatch((move) -> name(move).isEmpty());
            for (List<@Nullable String> row : this.subscriptions.getOrDefault(database, List.of())) {
                String name = text(row, 0);
                if (all && !this.moved && !known.contains(name)) {
                    this.problems.add(
                            "Subscription %s in %s belongs to no open move; run there: ALTER SUBSCRIPTION %1$s DISABLE; ALTER SUBSCRIPTION %1$s SET (slot_name = NONE); DROP SUBSCRIPTION %1$s"
                                .formatted(name, database));
                }
            }
        });
    }

    private MoveStatus.@Nullable Subscription subscription(Open move) {
        for (List<@Nullable String> row : this.subscriptions.getOrDefault(move.target, List.of())) {
            if (text(row, 0).equals(name(move))) {
                return new MoveStatus.Subscription(text(row, 0), "t".equals(row.get(1)), Long.parseLong(text(row, 2)));
            }
        }
        return null;
    }

    private MoveStatus.OpenMove open(Open move) {
        MoveStatus.Subscription subscription = subscription(move);
        String stuck = move.alive ? null : "no mover works on it";
        // a mover that takes the move back disables it, too
        if (move.isIn("copy") && subscription != null && !subscription.enabled() && subscription.errors() > 0) {
            stuck = "subscription %s was disabled by an error; the log of the target's server names it"
                .formatted(subscription.name());
        }
        MovePlan.Table copied = move.copied;
        MovePlan.Table total = move.total;
        return new MoveStatus.OpenMove(move.shards, MoveException.line(move.source), MoveException.line(move.target),
                move.stage, move.mover, move.alive, MoveException.lines(move.waitsFor),
                (copied != null && total != null)
                        ? new MoveStatus.Copy(copied.rows(), total.rows(), copied.bytes(), total.bytes()) : null,
                subscription, stuck);
    }

    /**
     * By the map a database is to take the writes, and it does not: because a mover is at
     * work, which lets writers wait for some moments, or for another reason.
     */
    private List<MoveStatus.Refused> refused(boolean atWork) {
        Map<Integer, MoveStatus.Refused> found = new TreeMap<>();
        this.homes.forEach((shard, database) -> {
            Map<Integer, Home> known = this.states.get(database);
            Home home = (known != null) ? known.getOrDefault(shard, Home.NONE) : Home.HERE;
            if (!home.takesWrites() && atWork(shard, home) == atWork) {
                found.put(shard,
                        new MoveStatus.Refused(new ShardRange(shard, shard), database, home.state, home.since));
            }
        });
        return joined(found.values(),
                (one, next) -> (one.shards().last() + 1 == next.shards().first()
                        && one.database().equals(next.database()) && one.state().equals(next.state()))
                                ? new MoveStatus.Refused(new ShardRange(one.shards().first(), next.shards().last()),
                                        one.database(), one.state(), earlier(one.since(), next.since()))
                                : null);
    }

    private boolean atWork(int shard, Home home) {
        return home.forMillis >= 0 && home.forMillis <= this.pause.toMillis()
                && this.moves.stream().anyMatch((move) -> move.alive && move.shards.contains(shard));
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return (one == null || other != null && other.isBefore(one)) ? other : one;
    }

    private List<MoveStatus.Twice> twice() {
        Map<Integer, MoveStatus.Twice> found = new TreeMap<>();
        this.homes.keySet().forEach((shard) -> {
            List<String> here = this.states.entrySet()
                .stream()
                .filter((database) -> database.getValue().getOrDefault(shard, Home.NONE).takesWrites())
                .map(Map.Entry::getKey)
                .toList();
            if (here.size() > 1) {
                found.put(shard, new MoveStatus.Twice(new ShardRange(shard, shard), here));
            }
        });
        return joined(found.values(), (one,
                next) -> (one.shards().last() + 1 == next.shards().first() && one.databases().equals(next.databases()))
                        ? new MoveStatus.Twice(new ShardRange(one.shards().first(), next.shards().last()),
                                one.databases())
                        : null);
    }

    /** Joins neighbours as long as the joint of two is not null. */
    private static <T> List<T> joined(Iterable<T> all, BinaryOperator<@Nullable T> joint) {
        List<T> joined = new ArrayList<>();
        for (T next : all) {
            T both = joined.isEmpty() ? null : joint.apply(joined.get(joined.size() - 1), next);
            if (both != null) {
                joined.set(joined.size() - 1, both);
            }
            else {
                joined.add(next);
            }
        }
        return List.copyOf(joined);
    }

    /** A move that is not finished, and what its databases say of it. */
    private static final class Open {

        private final ShardRanges shards;

        private final String source;

        private final String target;

        private final String stage;

        private final long mover;

        /** When the map changed for these shards. */
        private final String changedAt;

        private final boolean alive;

        private final List<String> waitsFor = new ArrayList<>();

        private MovePlan.@Nullable Table copied;

        private MovePlan.@Nullable Table total;

        Open(ShardRanges shards, String source, String target, String stage, long mover, String changedAt,
                boolean alive) {
            this.shards = shards;
            this.source = source;
            this.target = target;
            this.stage = stage;
            this.mover = mover;
            this.changedAt = changedAt;
            this.alive = alive;
        }

        boolean isIn(String... stages) {
            return List.of(stages).contains(this.stage);
        }

    }

    /**
     * Shards that a mover has copied together.
     *
     * @param home the database that the map names
     * @param mover the token of the mover
     */
    private record Copied(String home, long mover) {
    }

    /**
     * A home row.
     *
     * @param state its state
     * @param since since when; null if there is no row
     * @param forMillis for how long, by the clock of its server
     * @param mover the token of its last mover
     */
    private record Home(String state, @Nullable Instant since, long forMillis, long mover) {

        static final Home NONE = new Home("none", null, Long.MAX_VALUE, 0);

        static final Home HERE = new Home("here", null, Long.MAX_VALUE, 0);

        boolean takesWrites() {
            return this.state.equals("here");
        }

    }

}
