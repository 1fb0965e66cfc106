package io.shardedid.move;

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
 * @param homes its home rows by the names of their databases, as far as these answer, in
 * the order of their names
 * @param silent the databases that cannot be used, and why
 */
record ShardState(int shard, MapRow map, Map<String, HomeRow> homes, Map<String, String> silent) {

    /**
     * Returns the database that has the rows. One that does not answer may be the one,
     * unless another one takes writes, or was closed and has not been left.
     * @throws MoveException if that cannot be said
     */
    String holder() {
        String home = this.map.home();
        HomeRow row = home(home);
        if (row.mover() < this.map.token()) {
            throw MoveException.refused(
                    "Database behind the name '%s' must be the one that the map means: shard=%s, token=%s, token in the map=%s (a restored copy, or another server; the right one may have the only rows of this shard); correct shardedid.databases.%1$s.url"
                        .formatted(home, this.shard, row.mover(), this.map.token()));
        }
        // a home that no mover has changed may be open because no router has closed it
        // yet
        List<String> open = names("", (each) -> each.is("here") && (each.mover() > 0 || each == row));
        boolean switched = this.map.isAt("open") && row.is("arriving") && row.mover() == this.map.token()
                && highest() == row.mover();
        List<String> candidates = !open.isEmpty() ? open : switched ? List.of(home) : names("", HomeRow::isClosed);
        long highest = candidates.stream().mapToLong((name) -> home(name).mover()).max().orElse(0);
        List<String> last = candidates.stream().filter((name) -> home(name).mover() == highest).toList();
        boolean sure = open.size() == 1 || last.size() == 1 && home(last.get(0)).hasNotBeenLeft();
        if (this.silent.isEmpty() && last.contains(home)) {
            return home;
        }
        if (last.size() != 1 || !this.silent.isEmpty() && !sure) {
            throw MoveException.refused(
                    "Could not say which database has shard %s: map=%s, shardedid_home=%s, without an answer=%s; make them all answer, then look into the tables of each, and let 'shardedid_home' say 'here' in one"
                        .formatted(this.shard, home, this.homes, this.silent.values()));
        }
        return last.get(0);
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

    /** The databases whose row is one of a kind, but one, in their order. */
    private List<String> names(String but, Predicate<HomeRow> kind) {
        return this.homes.keySet().stream().filter((name) -> !name.equals(but) && kind.test(home(name))).toList();
    }

    /** Other databases that take writes, be it because no router has closed the shard. */
    List<String> openBeside(String holder) {
        return names(holder, (row) -> row.is("here"));
    }

    /** Databases with a whole copy that no map has named. */
    List<String> copies(String holder) {
        return names(holder, (row) -> row.is("arriving") && !row.copied().isEmpty());
    }

    /**
     * The database that has old rows: one that takes writes, too; or the one that the map
     * names, if it is right; or the one that was closed last; the holder if none was.
     */
    String left(String holder) {
        List<String> beside = openBeside(holder);
        String source = holder.equals(this.map.home()) ? this.map.source() : null;
        if (!beside.isEmpty() || source != null) {
            return beside.isEmpty() ? String.valueOf(source) : beside.get(0);
        }
        return names(holder, (row) -> row.is("moved") && row.mover() > 0).stream()
            .reduce((one, other) -> (home(one).mover() > home(other).mover()) ? one : other)
            .orElse(holder);
    }

    /** The highest token of the home rows. */
    long highest() {
        return this.homes.values().stream().mapToLong(HomeRow::mover).max().orElse(0);
    }

    /** Says what has to be done, and by which command; null if nothing has. */
    @Nullable Need need(String holder) {
        String home = this.map.home();
        List<String> beside = openBeside(holder);
        boolean takesWrites = home(holder).is("here");
        if (holder.equals(home) && this.map.isAt("copy")) {
            return new Need(
                    "are on their way to %s%s".formatted(this.map.target(), takesWrites ? "" : " and take no writes"),
                    "move", this.map.target(), true);
        }
        String wrong = !holder.equals(home) ? "have their rows in %s, and the map says %s".formatted(holder, home)
                : this.map.isAt("open") ? "are in %s, which may not take writes yet".formatted(holder) : !takesWrites
                        ? "take no writes in %s".formatted(holder)
                        : !beside.isEmpty() ? "take writes in %s, and in %s, too".formatted(holder, beside) : null;
        if (wrong != null) {
            return new Need(wrong, "move", holder, false);
        }
        if (this.map.isAt("clean")) {
            return new Need("have moved, and their old rows are in " + this.map.source(), "clean", null, false);
        }
        List<String> copies = copies(holder);
        return copies.isEmpty() ? null
                : new Need("have a copy in %s, which no move needs".formatted(copies), "abort", null, false);
    }

    /**
     * What a shard needs: what is so, as the rest of a sentence, and the command, or
     * abort.
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
     * @param version the version that brought it home
     * @param mover the token of the last mover
     * @param source the database that it leaves, or has left; null if it rests
     * @param target the database where it goes, or has gone; null if it rests
     * @param step {@code copy} until the map changes, {@code open} until the target is
     * open, {@code clean} until the old rows are deleted; null if it rests
     * @param age for how many milliseconds the row has been like that
     */
    record MapRow(String home, long version, long mover, @Nullable String source, @Nullable String target,
            @Nullable String step, long age) {

        /** The token of the mover that brought the shard home: each makes one version. */
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

        /** A mover has closed it, and no map has had another home since. */
        boolean hasNotBeenLeft() {
            return isClosed() && this.mover > 0 && !this.copied.equals("left");
        }

        @Override
        public String toString() {
            return "%s with token %s".formatted(this.state, this.mover);
        }

    }

}
