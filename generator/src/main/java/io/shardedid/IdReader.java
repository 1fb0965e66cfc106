package io.shardedid;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Reads ids and keys: to which shard they lead, and whether this fleet could have made
 * them by now. It makes no id and needs no lease. {@link ShardedIds#reader()} returns one
 * that knows when the fleet began, and {@link ShardedIdsBuilder#reader} makes one from
 * settings alone. Immutable and thread-safe; one of an engine can be used after the
 * engine was closed.
 *
 * @since 0.1
 */
public class IdReader {

    /**
     * The smallest number of 41 significant bits. An id of the standard layout is larger
     * from two minutes after its epoch on, and a sequence never comes so far.
     */
    private static final long SMALLEST_OF_TWO_READINGS = 1L << 40;

    /** How far the clocks of processes may differ before they say so themselves. */
    private static final Duration CLOCK_ERROR = Duration.ofSeconds(10);

    /** What stands for the shard of a key that is no id, and for its number. */
    private static final int NO_ID = -1;

    /** A text of fewer digits is a smaller number. */
    private static final int FEWEST_DIGITS = Long.toString(SMALLEST_OF_TWO_READINGS).length();

    private static final int LETTERS_OF_A_UUID = 36;

    private final EngineTerms terms;

    private final IdLayout layout;

    private final int shards;

    private final ShardFunction shardFunction;

    private final LongSupplier firstLease;

    private final InstantSource clock;

    /**
     * Makes a reader. No other package can extend it.
     * @param firstLease the tick of the very first lease, or 0 if it is not known; asked
     * only where no older-ids-before is set. It may throw a {@link ShardedIdException}
     * @param clock the clock that ids carry
     */
    IdReader(EngineTerms terms, ShardFunction shardFunction, LongSupplier firstLease, InstantSource clock) {
        this.terms = terms;
        this.layout = terms.layout();
        this.shards = terms.shards();
        this.shardFunction = shardFunction;
        Instant olderIdsBefore = terms.olderIdsBefore();
        long set = (olderIdsBefore != null) ? this.layout.tickAt(olderIdsBefore) : 0;
        this.firstLease = (olderIdsBefore != null) ? () -> set : firstLease;
        this.clock = clock;
    }

    /**
     * Returns a reader with another clock, for tests and for questions about another
     * time.
     * @param other the clock that says what could have been made by now
     * @return a reader of the same ids
     */
    public IdReader withClock(InstantSource other) {
        return new IdReader(this.terms, this.shardFunction, this.firstLease, other);
    }

    /**
     * Returns what the ids are made and read with.
     * @return the terms
     */
    public EngineTerms terms() {
        return this.terms;
    }

    /**
     * Returns the layout of the ids.
     * @return the layout
     */
    public IdLayout layout() {
        return this.layout;
    }

    /**
     * Returns the number of logical shards.
     * @return 1 to 2<sup>shard bits</sup>
     */
    public int shards() {
        return this.shards;
    }

    /**
     * Returns the function behind {@link #shardOfKey}.
     * @return the shard function
     */
    public ShardFunction shardFunction() {
        return this.shardFunction;
    }

    /**
     * Returns the tick below which ids are {@link #isOlder}: that of
     * {@link ShardedIdsBuilder#olderIdsBefore} if it is set, else that of the very first
     * lease.
     * @return a tick, or 0 if neither is known
     * @throws ShardedIdException if the very first lease has to be read from the lease
     * table before the first id of this process, and that failed
     */
    public long firstTick() {
        return this.firstLease.getAsLong();
    }

    /**
     * Returns the latest time that an id of this fleet may carry by now: ids may run
     * ahead of the clock by max-ahead, and the clocks of two processes may differ by some
     * seconds.
     * @return a time after now
     */
    public Instant latest() {
        return this.clock.instant().plus(this.terms.maxAhead()).plus(CLOCK_ERROR);
    }

    /**
     * Returns the logical shard of a key, as {@link ShardedIds#shardOfKey} does.
     * @param key the shard key
     * @return 0 to shards - 1
     * @throws ShardKeyException if the key is null, an id, or of an unsupported type, or
     * if the function led outside the shards
     */
    public int shardOfKey(Object key) {
        int shard = shardForPlain(key);
        int carried = shardCarriedBy(key);
        if (carried != NO_ID && carried != shard) {
            throw new ShardKeyException(
                    ("Could not find the shard of a key: key=%s is an id of shard %s, and as a plain key it leads to shard "
                            + "%s (an id carries its shard, where its row and the children of that row are); use "
                            + "shardOf(id), and next(shardOf(id)) for the id of a child, or reader().shardForPlain(key) if rows "
                            + "have this value as a plain key")
                        .formatted(key, carried, shard),
                    ShardKeyException.Reason.KEY_IS_ID);
        }
        return shard;
    }

    /**
     * The shard of the id that a key is, or {@link #NO_ID}. A short number is a key, also
     * where nobody knows since when ids are made.
     */
    private int shardCarriedBy(Object key) {
        UUID uuid = (key instanceof Number) ? null : uuidOf(key);
        if (uuid != null) {
            return couldBeMade(uuid) ? UuidLayout.shardOf(uuid) : NO_ID;
        }
        long id = numberOf(key);
        return (id >= SMALLEST_OF_TWO_READINGS && couldBeMade(id)) ? this.layout.shardOf(id) : NO_ID;
    }

    /** A UUID, also as the text in which JSON and a URL have it, or null. */
    private static @Nullable UUID uuidOf(Object key) {
        if (key instanceof String text && text.length() == LETTERS_OF_A_UUID) {
            try {
                UUID uuid = UUID.fromString(text);
                return uuid.toString().equalsIgnoreCase(text) ? uuid : null;
            }
            catch (IllegalArgumentException ex) {
                return null;
            }
        }
        return (key instanceof UUID uuid) ? uuid : null;
    }

    /**
     * The number of an id, also as the text in which JSON and a URL have it; small if a
     * key is none.
     */
    private static long numberOf(Object key) {
        if (key instanceof Long number) {
            return number;
        }
        if (key instanceof BigInteger number) {
            return (number.bitLength() < Long.SIZE) ? number.longValue() : NO_ID;
        }
        return (key instanceof String text && text.length() >= FEWEST_DIGITS) ? IdLayout.parseText(text).orElse(NO_ID)
                : NO_ID;
    }

    /**
     * Returns the logical shard of a key, as {@link #shardOfKey} does, also of a key that
     * looks like an id.
     * @param key the shard key
     * @return 0 to shards - 1
     * @throws ShardKeyException if the key is null or of an unsupported type, or if the
     * function led outside the shards
     */
    public int shardForPlain(Object key) {
        if (key == null) {
            throw new ShardKeyException(
                    "Could not find the shard of a key: key=null; set the key first, or use next() for a row that has none");
        }
        int shard;
        try {
            shard = this.shardFunction.shardOf(key, this.shards);
        }
        catch (ClassCastException ex) {
            throw new ShardKeyException(
                    ("Could not find the shard of a key: function '%s' failed: key=%s, type=%s (%s); let it take this "
                            + "type")
                        .formatted(this.shardFunction.id(), key, key.getClass().getName(), ex.getMessage()),
                    ex);
        }
        if (shard < 0 || shard >= this.shards) {
            throw new ShardKeyException(
                    ("Could not find the shard of a key: function '%s' must return a shard in [0, %s]: "
                            + "key=%s, shard=%s")
                        .formatted(this.shardFunction.id(), this.shards - 1, key, shard));
        }
        return shard;
    }

    /**
     * Returns the shard where the children of a row live, as {@link ShardedIds#shardOf}
     * does.
     * @param id any number
     * @return 0 to shards - 1
     * @throws ShardKeyException if the id has two readings, or if it carries a shard
     * outside of {@link #shards()}
     */
    public int shardOf(long id) {
        if (!isOlder(id)) {
            int shard = this.layout.shardOf(id);
            if (shard >= this.shards) {
                throw new ShardKeyException(
                        "Could not find the shard of an id: shard must be in [0, %s]: id=%s, shard=%s; use an id of this layout"
                            .formatted(this.shards - 1, id, shard),
                        ShardKeyException.Reason.NO_SUCH_ID);
            }
            return shard;
        }
        if (this.terms.olderIdsBefore() == null && id >= SMALLEST_OF_TWO_READINGS && id <= this.layout.lastId()
                && this.shards > 1) {
            throw twoReadings(id);
        }
        return shardForPlain(id);
    }

    private ShardKeyException twoReadings(long id) {
        Instant time = this.layout.instantOf(id);
        return new ShardKeyException(
                ("Could not find the shard of an id: id=%s, time of its bits=%s, first lease=%s, shard by its bits=%s, "
                        + "shard as a plain number=%s (an id that is older than the first lease has two readings); set "
                        + "'shardedid.older-ids-before' to %2$s or earlier if this application made the id, for example before "
                        + "the lease table was lost, or to %3$s if another system made it")
                    .formatted(id, time, firstInstant(), this.layout.shardOf(id), shardForPlain(id)));
    }

    /**
     * Returns the shard where the children of a row live, as {@link ShardedUuids#shardOf}
     * does.
     * @param id the UUID of a row
     * @return 0 to shards - 1
     * @throws ShardKeyException if the UUID is of another version than 7, is older than
     * the first lease of this fleet, or carries a shard outside of {@link #shards()}
     */
    public int shardOf(UUID id) {
        if (!UuidLayout.isVersion7(id)) {
            throw new ShardKeyException(
                    ("Could not find the shard of a UUID: it must be of version 7 and variant 2, which alone carries a "
                            + "shard: uuid=%s, version=%s, variant=%s; give the row an id by '@ShardedId', or use a plain "
                            + "key as shard key")
                        .formatted(id, id.version(), id.variant()));
        }
        if (isOlder(id)) {
            throw new ShardKeyException(
                    ("Could not find the shard of a UUID: its time must not be before ids were made here: uuid=%s, "
                            + "time=%s, first lease=%s; set 'shardedid.older-ids-before' to the time of the UUID or "
                            + "earlier if this application made it, or use a plain key as shard key if another system did")
                        .formatted(id, UuidLayout.instantOf(id), firstInstant()));
        }
        int shard = UuidLayout.shardOf(id);
        if (shard >= this.shards) {
            throw new ShardKeyException(
                    ("Could not find the shard of a UUID: shard must be in [0, %s]: uuid=%s, shard=%s; use a UUID "
                            + "that this application made, or a plain key as shard key")
                        .formatted(this.shards - 1, id, shard),
                    ShardKeyException.Reason.NO_SUCH_ID);
        }
        return shard;
    }

    /**
     * Returns whether an id is older, which means older than the use of this generator,
     * so that its bits mean nothing. {@link #shardOf(long)} decides by this which shard
     * such an id has, and throws an exception for an id that may be either.
     * @param id any number
     * @return true if it is no id of the layout, or its tick is below {@link #firstTick}
     */
    public boolean isOlder(long id) {
        return id < 0 || id > this.layout.lastId() || this.layout.tickOf(id) < firstTick();
    }

    /**
     * Returns whether a UUID carries no shard of this fleet: it is of another version
     * than 7, or older than the use of this generator.
     * @param id any UUID
     * @return true if its bits name no shard
     */
    public boolean isOlder(UUID id) {
        return !UuidLayout.isVersion7(id) || UuidLayout.instantOf(id).isBefore(firstInstant());
    }

    /**
     * Returns whether an id is {@link #isOlder}, or so short that it probably is where
     * neither the first lease nor older-ids-before says since when ids are made.
     * @param id any number
     * @return whether it may be older than the use of this generator
     */
    public boolean mayBeOlder(long id) {
        return isOlder(id) || firstTick() == 0 && id < SMALLEST_OF_TWO_READINGS;
    }

    private Instant firstInstant() {
        return this.layout.instantAt(firstTick());
    }

    /**
     * Returns whether this fleet could have made a number as an id by now, which is so
     * when there are no {@link #problemsWith}.
     * @param id any number
     * @return whether it could
     */
    public boolean couldBeMade(long id) {
        // the clock comes last, since reading it takes longer than all the rest
        return !mayBeOlder(id) && this.layout.shardOf(id) < this.shards && !this.layout.instantOf(id).isAfter(latest());
    }

    /**
     * Whether this fleet could have made a UUID by now. One of another maker names any of
     * 65,536 workers, and so hardly ever one that there can be here.
     */
    private boolean couldBeMade(UUID id) {
        return !isOlder(id) && UuidLayout.shardOf(id) < this.shards && hasWorker(id)
                && !UuidLayout.instantOf(id).isAfter(latest());
    }

    private boolean hasWorker(UUID id) {
        return UuidLayout.parse(id).worker() < 1 << this.layout.workerBits();
    }

    /**
     * Returns the reasons why a number cannot be an id that this fleet has made by now.
     * @param id any number
     * @return sentences; empty if the number can be such an id
     */
    public List<String> problemsWith(long id) {
        if (id < 0) {
            return List.of("it is negative, which no id is");
        }
        if (id > this.layout.lastId()) {
            return List.of("it has bits above the time of this layout");
        }
        Instant time = this.layout.instantOf(id);
        if (isOlder(id)) {
            return List.of(before(time));
        }
        if (mayBeOlder(id)) {
            return List.of("it is short, and ids have 41 significant bits or more; 'shardedid.older-ids-before' says "
                    + "since when ids are made");
        }
        return List.copyOf(problemsWith(time, this.layout.shardOf(id)));
    }

    /**
     * Returns the reasons why a UUID cannot be one that this fleet has made by now.
     * @param id any UUID
     * @return sentences; empty if the UUID can be such a one
     */
    public List<String> problemsWith(UUID id) {
        if (!UuidLayout.isVersion7(id)) {
            return List.of("its version is %s and its variant %s, and only version 7 of variant 2 carries a shard"
                .formatted(id.version(), id.variant()));
        }
        Instant time = UuidLayout.instantOf(id);
        if (isOlder(id)) {
            return List.of(before(time));
        }
        List<String> problems = problemsWith(time, UuidLayout.shardOf(id));
        if (!hasWorker(id)) {
            problems.add("its worker, %s, is outside [0, %s]".formatted(UuidLayout.parse(id).worker(),
                    (1 << this.layout.workerBits()) - 1));
        }
        return List.copyOf(problems);
    }

    private List<String> problemsWith(Instant time, int shard) {
        List<String> problems = new ArrayList<>();
        if (time.isAfter(latest())) {
            problems.add("its time, %s, has not come yet".formatted(time));
        }
        if (shard >= this.shards) {
            problems.add("its shard, %s, is outside [0, %s]".formatted(shard, this.shards - 1));
        }
        return problems;
    }

    private String before(Instant time) {
        return "its time, %s, is before %s, from which on ids are made here".formatted(time, firstInstant());
    }

}
