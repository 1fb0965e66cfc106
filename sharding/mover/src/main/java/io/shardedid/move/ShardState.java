package io.shardedid.move;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What the map and the homes say about a shard.
 *
 * <p>
 * The homes decide where the rows are, because the database of the map may have lost its
 * last commits: a mover writes its token into the map, then into the homes, and only then
 * it opens or closes a shard. So the database that takes writes has the rows. If none
 * does, it is the one that was closed with the highest token: each later mover leaves a
 * higher one, and a target that is not open yet, or was emptied, is {@code arriving}.
 *
 * @param shard the shard
 * @param map its row of the map
 * @param homes its home rows by the names of their databases, as far as these answer, in
 * the order of their names
 * @param silent the databases that cannot be used, and why
 */
record ShardState(int shard, MapRow map, Map<String, HomeRow> homes, Map<String, String> silent) {

    /**
     * Returns the database that has the rows.
     * @throws MoveException if that cannot be said
     */
    String holder() {
        requireHome();
        List<String> open = names((row) -> row.is("here"));
        open.removeIf((name) -> home(name).mover() == 0 && !name.equals(this.map.home()));
        if (open.size() == 1) {
            return open.get(0);
        }
        List<String> closed = names((row) -> row.isClosed() && row.mover() > 0 && !row.copied().equals("left"));
        if (open.isEmpty() && closed.size() == 1) {
            return closed.get(0);
        }
        if (!this.silent.isEmpty()) {
            throw MoveException.refused(
                    "Could not say which database has shard %s, because %s takes no writes, and others cannot be asked: %s"
                        .formatted(this.shard, this.map.home(), String.join("; ", this.silent.values())));
        }
        if (open.isEmpty() && isSwitched()) {
            return this.map.home();
        }
        List<String> candidates = open.isEmpty() ? names(HomeRow::isClosed) : open;
        long highest = candidates.stream().mapToLong((name) -> home(name).mover()).max().orElse(-1);
        candidates.removeIf((name) -> home(name).mover() < highest);
        if (candidates.contains(this.map.home())) {
            return this.map.home();
        }
        if (candidates.size() != 1) {
            throw MoveException.refused(
                    "Could not say which database has shard %s: map=%s, shardedid_home=%s; look into the tables of each of them, and let 'shardedid_home' say 'here' in one"
                        .formatted(this.shard, this.map.home(), this.homes));
        }
        return candidates.get(0);
    }

    /**
     * Whether the map has changed, and the target is not open yet: both have the same
     * rows.
     */
    private boolean isSwitched() {
        HomeRow home = home(this.map.home());
        return this.map.isAt("open") && home.is("arriving") && home.mover() == this.map.token()
                && highest() <= this.map.token();
    }

    /**
     * A home row that is older than the map is one of another database, or of an older
     * copy.
     */
    private void requireHome() {
        HomeRow row = home(this.map.home());
        if (row.mover() < this.map.token()) {
            throw MoveException.refused(
                    "Database behind the name '%s' must be the one that the map means: shard=%s, token=%s, token in the map=%s (a restored copy, or another server; the right one may have the only rows of this shard); correct shardedid.databases.%1$s.url"
                        .formatted(this.map.home(), this.shard, row.mover(), this.map.token()));
        }
    }

    HomeRow home(String database) {
        HomeRow row = this.homes.get(database);
        if (row == null) {
            throw MoveException.refused(this.silent.getOrDefault(database,
                    "Database %s has no row of shard %s in 'shardedid_home'; run shardedid_homes(shards) there"
                        .formatted(database, this.shard)));
        }
        return row;
    }

    /** The databases whose row is one of a kind, in their order. */
    private List<String> names(Predicate<HomeRow> kind) {
        return new ArrayList<>(this.homes.keySet().stream().filter((name) -> kind.test(home(name))).toList());
    }

    /**
     * Other databases that take writes, be it because no router has closed the shard yet.
     */
    List<String> openBeside(String holder) {
        List<String> open = names((row) -> row.is("here"));
        open.remove(holder);
        return open;
    }

    /**
     * The database that has old rows: one that takes writes, too; or the one that the map
     * names, if it is right; or the one that was closed last; the holder if none was.
     */
    String left(String holder) {
        List<String> beside = openBeside(holder);
        if (!beside.isEmpty() || this.map.source() != null && holder.equals(this.map.home())) {
            return beside.isEmpty() ? String.valueOf(this.map.source()) : beside.get(0);
        }
        return names((row) -> row.is("moved") && row.mover() > 0).stream()
            .filter((name) -> !name.equals(holder))
            .reduce((one, other) -> (home(one).mover() > home(other).mover()) ? one : other)
            .orElse(holder);
    }

    /** Databases with a whole copy that no map has named. */
    List<String> copies(String holder) {
        List<String> copies = names((row) -> row.is("arriving") && !row.copied().isEmpty());
        copies.remove(holder);
        return copies;
    }

    /** The highest token of the home rows. */
    long highest() {
        return this.homes.values().stream().mapToLong(HomeRow::mover).max().orElse(0);
    }

    /**
     * Says what has to be done, and by which command; null if nothing has.
     * @param holder the database that has the rows
     */
    @Nullable Need need(String holder) {
        List<String> beside = openBeside(holder);
        boolean takesWrites = home(holder).is("here");
        if (!holder.equals(this.map.home())) {
            return new Need("have their rows in %s, and the map says %s".formatted(holder, this.map.home()), "move",
                    holder, false);
        }
        if (this.map.isAt("copy")) {
            return new Need(
                    "are on their way to %s%s".formatted(this.map.target(), takesWrites ? "" : " and take no writes"),
                    "move", this.map.target(), true);
        }
        if (this.map.isAt("open")) {
            return new Need("are in %s, which may not take writes yet".formatted(holder), "move", holder, false);
        }
        if (!takesWrites || !beside.isEmpty()) {
            return new Need(takesWrites ? "take writes in %s, and in %s, too".formatted(holder, beside)
                    : "take no writes in %s".formatted(holder), "move", holder, false);
        }
        if (this.map.isAt("clean")) {
            return new Need("have moved, and their old rows are in " + this.map.source(), "clean", null, false);
        }
        List<String> copies = copies(holder);
        return copies.isEmpty() ? null
                : new Need("have a copy in %s, which no move needs".formatted(copies), "abort", null, false);
    }

    /**
     * What a shard needs.
     *
     * @param what what is so, as the rest of a sentence about shards
     * @param verb the command
     * @param to the database where it goes, or null
     * @param abort whether the other way is to abort
     */
    record Need(String what, String verb, @Nullable String to, boolean abort) {

        /** The commands for some shards. */
        String commands(String shards) {
            return "'%s %s%s'%s".formatted(this.verb, shards, (this.to != null) ? " --to=" + this.to : "",
                    this.abort ? " or 'abort %s'".formatted(shards) : "");
        }

    }

    /**
     * A row of the map.
     *
     * @param home the database that has the shard
     * @param version the version that brought it there
     * @param mover the token of the last mover
     * @param source the database that it leaves, or has left; null if it rests
     * @param target the database where it goes, or has gone; null if it rests
     * @param step {@code copy} until the map changes, {@code open} until the target is
     * open, {@code clean} until the old rows are deleted; null if it rests
     * @param age for how many milliseconds the row has been like that
     */
    record MapRow(String home, long version, long mover, @Nullable String source, @Nullable String target,
            @Nullable String step, long age) {

        /**
         * The token of the mover that brought the shard home: each takes one and makes
         * one version.
         */
        long token() {
            return this.version - 1;
        }

        boolean isAt(String step) {
            return step.equals(this.step);
        }

    }

    /**
     * A home row.
     *
     * @param state {@code here}, {@code arriving} or {@code moved}
     * @param mover the token of the mover that changed it last
     * @param copied the digests of what was copied there; {@code left} if the map may
     * have said since that the shard is elsewhere; {@code cleaned} if its old rows are
     * deleted; empty otherwise
     */
    record HomeRow(String state, long mover, String copied) {

        boolean is(String state) {
            return this.state.equals(state);
        }

        /** It may have rows, and takes no writes. */
        boolean isClosed() {
            return is("moved") && !this.copied.equals("cleaned");
        }

        @Override
        public String toString() {
            return "%s with token %s".formatted(this.state, this.mover);
        }

    }

}
