package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/** Asks all databases who takes the writes of which shards, and what moves have left. */
final class MoveSurvey {

    private final MoveDatabases databases;

    /** How long writers may wait for a mover. */
    private final Duration pause;

    private final Map<Integer, String> homes = new TreeMap<>();

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
                        "SELECT 'router ' || process || ', version=' || version_seen || ', seen=' || date_trunc('second', to_timestamp(seen_at / 1000.0)) FROM %s r WHERE namespace = ?%s ORDER BY seen_at, process LIMIT 10"
                            .formatted(routers,
                                    OlderRouters.behind(map.mapTable(this.databases, "shardedid_shard"), text(row, 5))),
                        this.databases.namespace()));
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
                    "SELECT shard, state, (extract(epoch FROM changed_at) * 1000)::bigint, (extract(epoch FROM clock_timestamp() - changed_at) * 1000)::bigint FROM "
                            + session.own("shardedid_home"))) {
                found.put(Integer.valueOf(text(row, 0)), new Home(text(row, 1),
                        Instant.ofEpochMilli(Long.parseLong(text(row, 2))), Long.parseLong(text(row, 3))));
            }
            this.states.put(session.database(), found);
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
        move.name = Replication.name(this.databases.namespace(), move.source, move.target, move.shards, session);
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
        addWaits(session, Transactions.thatBlockMovers(session), move);
        this.subscriptions.put(session.database(), session.rows("""
                SELECT subname, subenabled, coalesce(apply_error_count + sync_error_count, 0)
                  FROM pg_subscription LEFT JOIN pg_stat_subscription_stats USING (subname)
                 WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"""));
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
        return new MoveStatus(refused(false), refused(true), twice(), this.moves.stream().map(this::open).toList(),
                List.copyOf(this.slots), MoveException.lines(this.unknown), MoveException.lines(this.problems));
    }

    private MoveStatus.@Nullable Subscription subscription(Open move) {
        for (List<@Nullable String> row : this.subscriptions.getOrDefault(move.target, List.of())) {
            if (text(row, 0).equals(move.name)) {
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

        private String name = "";

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
     * A home row.
     *
     * @param state its state
     * @param since since when; null if there is no row
     * @param forMillis for how long, by the clock of its server
     */
    private record Home(String state, @Nullable Instant since, long forMillis) {

        static final Home NONE = new Home("none", null, Long.MAX_VALUE);

        static final Home HERE = new Home("here", null, Long.MAX_VALUE);

        boolean takesWrites() {
            return this.state.equals("here");
        }

    }

}
