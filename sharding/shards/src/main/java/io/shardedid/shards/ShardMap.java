package io.shardedid.shards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.internal.NearestName;
import org.jspecify.annotations.Nullable;

/**
 * Says which database holds which logical shard: each shard has exactly one. Immutable
 * and thread-safe.
 *
 * @since 0.1
 */
public final class ShardMap {

    /** How many typing errors the name of a database may have and still be recognized. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");

    /** The database of each shard. */
    private final String[] databases;

    /** The shards of each database, by the first shard. */
    private final Map<String, List<ShardRange>> shards;

    private final MapVersion version;

    private ShardMap(String[] databases, MapVersion version) {
        this.databases = databases;
        this.shards = byDatabase(databases);
        this.version = version;
    }

    /**
     * Makes the map of a version.
     * @param databases the name of the database of each shard, from shard 0 on
     * @param version the version
     * @return the map
     * @throws ShardMapException if there is no shard, or a name cannot be that of a
     * database
     */
    static ShardMap of(List<String> databases, MapVersion version) {
        String[] copy = databases.toArray(new String[0]);
        if (copy.length == 0) {
            throw new ShardMapException("Shard map must have a shard: shards=0", "set 'shardedid.shards' to 1 or more");
        }
        // one object for each name, however the list was made
        Map<String, String> names = new LinkedHashMap<>();
        for (int shard = 0; shard < copy.length; shard++) {
            String name = copy[shard];
            copy[shard] = names.computeIfAbsent(name, ShardMap::checked);
        }
        return new ShardMap(copy, version);
    }

    /**
     * Reads a map.
     * @param text ranges of shards with the name of their database, such as
     * {@code 0-999: a, 1000-1999: b}. Each shard from 0 to {@code shards - 1} has to
     * stand there once; a name has 1 to 63 letters, digits, {@code -} and {@code _}, and
     * begins with a letter or a digit
     * @param shards the number of logical shards, 1 or more
     * @return the map, of version 0 because it comes from no table
     * @throws ShardMapException if the text cannot be read, leaves shards without a
     * database, gives shards two databases, or names a shard that does not exist
     */
    public static ShardMap parse(String text, int shards) {
        if (shards < 1) {
            throw new ShardMapException("Shard map must have a shard: shards=%s".formatted(shards),
                    "set 'shardedid.shards' to 1 or more");
        }
        return new ShardMap(new Reading(text, shards).databases(), MapVersion.NONE);
    }

    /**
     * Returns the database of a shard.
     * @param shard 0 to {@link #shards()} - 1
     * @return the name of the database
     * @throws ShardUnknownException if there is no such shard
     */
    public String databaseOf(int shard) {
        if (shard < 0 || shard >= this.databases.length) {
            throw new ShardUnknownException(
                    "Could not choose a database: shard must be in [0, %s]: shard=%s; use a shard of this layout"
                        .formatted(this.databases.length - 1, shard));
        }
        return this.databases[shard];
    }

    /**
     * Returns the shards of a database.
     * @param database the name of the database
     * @return ranges in increasing order, with a gap between each two; empty if the
     * database has no shard
     */
    public List<ShardRange> shardsOf(String database) {
        return this.shards.getOrDefault(database, List.of());
    }

    /**
     * Returns the databases that have shards.
     * @return the names, in the order of the first shard that each has; unmodifiable
     */
    public Set<String> databases() {
        return this.shards.keySet();
    }

    /**
     * Returns the number of logical shards.
     * @return 1 or more
     */
    public int shards() {
        return this.databases.length;
    }

    /**
     * Returns the version, which grows with each change of the map in its table.
     * @return 1 or more; 0 for a map that comes from no table
     */
    public long version() {
        return this.version.number();
    }

    /** The version with its identity. */
    MapVersion mapVersion() {
        return this.version;
    }

    /**
     * Returns this map after one more change: the shards of a range are in another
     * database. This map stays as it is.
     * @param range the shards
     * @param database the database where they are then
     * @return a map of the next version
     * @throws ShardMapException if a shard of the range does not exist, or the name
     * cannot be that of a database
     */
    public ShardMap with(ShardRange range, String database) {
        checked(database);
        if (range.last() >= this.databases.length) {
            throw new ShardMapException("%s not exist: range=%s (shardedid.shards=%s)".formatted(
                    subject(new ShardRange(Math.max(range.first(), this.databases.length), range.last()), "do", "does"),
                    range, this.databases.length), "correct the range", "shardedid.shards");
        }
        String[] changed = this.databases.clone();
        Arrays.fill(changed, range.first(), range.last() + 1, database);
        return new ShardMap(changed, new MapVersion(version() + 1, this.version.identity()));
    }

    /**
     * Checks that every database of this map is configured.
     * @param configured the names of the databases that an application can connect to
     * @return this map
     * @throws ShardMapException if one is not; the message names the shards, the
     * databases that are configured, and the nearest name
     */
    public ShardMap checkDatabases(Collection<String> configured) {
        for (String database : databases()) {
            if (!configured.contains(database)) {
                throw new ShardMapException(
                        "Database '%s' of %s is not configured: map='%s' (configured: %s%s)".formatted(database,
                                shardsInWords(database), this,
                                configured.isEmpty() ? "none"
                                        : configured.stream()
                                            .sorted()
                                            .map((each) -> "'" + each + "'")
                                            .collect(Collectors.joining(", ")),
                                NearestName.of(database, configured.stream().sorted().toList())
                                    .map((nearest) -> "; nearest: '" + nearest + "'")
                                    .orElse("")),
                        "correct the name, or add the database, by 'shardedid.databases.%s.url' or as a data source of the sharding rule"
                            .formatted(database));
            }
        }
        return this;
    }

    private String shardsInWords(String database) {
        List<ShardRange> ranges = shardsOf(database);
        boolean one = ranges.size() == 1 && ranges.get(0).size() == 1;
        return (one ? "shard " : "shards ")
                + ranges.stream().map(ShardRange::toString).collect(Collectors.joining(", "));
    }

    private static String checked(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new ShardMapException(
                    ("Name of a database cannot be used: name='%s' (1 to 63 letters, digits, '-' and '_', a "
                            + "letter or digit first)")
                        .formatted(name),
                    "rename the database");
        }
        return name;
    }

    private static Map<String, List<ShardRange>> byDatabase(String[] databases) {
        Map<String, List<ShardRange>> ranges = new LinkedHashMap<>();
        forEachRange(databases, (range, name) -> ranges.computeIfAbsent(name, (first) -> new ArrayList<>()).add(range));
        ranges.replaceAll((name, list) -> List.copyOf(list));
        return Collections.unmodifiableMap(ranges);
    }

    private static void forEachRange(String[] databases, BiConsumer<ShardRange, String> action) {
        int first = 0;
        for (int shard = 1; shard <= databases.length; shard++) {
            if (shard == databases.length || !databases[shard].equals(databases[first])) {
                action.accept(new ShardRange(first, shard - 1), databases[first]);
                first = shard;
            }
        }
    }

    /** Returns the first shards that have no database, or null if there are none. */
    static @Nullable ShardRange firstHole(@Nullable String[] databases) {
        int first = 0;
        while (first < databases.length && databases[first] != null) {
            first++;
        }
        int last = first;
        while (last < databases.length && databases[last] == null) {
            last++;
        }
        return (first < databases.length) ? new ShardRange(first, last - 1) : null;
    }

    static String subject(ShardRange range, String plural, String singular) {
        return (range.size() == 1) ? "Shard %s %s".formatted(range, singular) : "Shards %s %s".formatted(range, plural);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ShardMap map && this.version.equals(map.version)
                && Arrays.equals(this.databases, map.databases);
    }

    /**
     * Returns whether another map puts every shard into the same database, whatever the
     * versions.
     * @param other the other map
     * @return true if no shard differs
     */
    public boolean sameAs(ShardMap other) {
        return Arrays.equals(this.databases, other.databases);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(this.databases) + this.version.hashCode();
    }

    /**
     * Returns the map as {@link #parse} reads it, without the version.
     * @return for example {@code 0-999: a, 1000-1999: b}
     */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ");
        forEachRange(this.databases, (range, name) -> text.add(range + ": " + name));
        return text.toString();
    }

    /**
     * The reading of a text, with what its messages say.
     *
     * @param text the text
     * @param shards how many shards there are
     */
    private record Reading(String text, int shards) {

        String[] databases() {
            @Nullable String[] databases = new @Nullable String[this.shards];
            for (String entry : this.text.split(",", -1)) {
                String[] parts = entry.split(":", -1);
                if (parts.length != 2) {
                    throw unreadable(entry, "range and database with ':' between them");
                }
                String name = parts[1].strip();
                if (!NAME.matcher(name).matches()) {
                    throw unreadable(entry,
                            "name of a database: 1 to 63 letters, digits, '-' and '_', a letter or digit first");
                }
                enter(range(entry, parts[0]), name, databases);
            }
            return complete(databases);
        }

        private ShardRange range(String entry, String text) {
            try {
                return ShardRange.parse(text);
            }
            catch (ShardMapException ex) {
                throw unreadable(entry, "a shard, or the first and the last shard with '-' between them");
            }
        }

        private void enter(ShardRange range, String name, @Nullable String[] databases) {
            if (range.last() >= this.shards) {
                throw refused(subject(new ShardRange(Math.max(range.first(), this.shards), range.last()), "do", "does")
                        + " not exist", "remove what is too large, or correct 'shardedid.shards'");
            }
            for (int shard = range.first(); shard <= range.last(); shard++) {
                String other = databases[shard];
                if (other != null) {
                    int last = shard;
                    while (last < range.last() && other.equals(databases[last + 1])) {
                        last++;
                    }
                    throw refused(
                            "%s two databases, '%s' and '%s'"
                                .formatted(subject(new ShardRange(shard, last), "have", "has"), other, name),
                            "leave one of them");
                }
                databases[shard] = name;
            }
        }

        private String[] complete(@Nullable String[] databases) {
            ShardRange hole = firstHole(databases);
            if (hole != null) {
                throw refused(subject(hole, "have", "has") + " no database", "add a range for them");
            }
            return Arrays.stream(databases).toArray(String[]::new);
        }

        private ShardMapException unreadable(String entry, String rule) {
            return new ShardMapException(
                    "Shard map cannot be read at '%s': initial-map='%s' (%s)".formatted(entry.strip(), this.text, rule),
                    "write it like '0-999: a, 1000-1999: b'");
        }

        private ShardMapException refused(String what, String remedy) {
            return new ShardMapException("%s: initial-map='%s' (each shard from 0 to %s has one database)"
                .formatted(what, this.text, this.shards - 1), remedy);
        }

    }

}
