package io.shardedid.jackson;

import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;

/**
 * Logs a warning where JSON carries an id as a number that JavaScript rounds, because
 * nothing marks it: once for each member of a class, and 50 times at most. Several
 * modules may share an object of this class, and so may threads. A mapper that was
 * serialized watches nothing.
 *
 * @since 0.1
 */
public final class UnmarkedNumbers implements Serializable {

    private static final long serialVersionUID = 1L;

    private static final System.Logger LOG = System.getLogger(UnmarkedNumbers.class.getName());

    private static final int MOST_LINES = 50;

    private final transient @Nullable LongPredicate couldBeId;

    private final transient @Nullable Supplier<@Nullable String> endpoint;

    /** The members that were named. */
    private final ConcurrentHashMap.KeySetView<String, Boolean> told = ConcurrentHashMap.newKeySet();

    private UnmarkedNumbers(@Nullable LongPredicate couldBeId, @Nullable Supplier<@Nullable String> endpoint) {
        this.couldBeId = couldBeId;
        this.endpoint = endpoint;
    }

    /**
     * Leaves the numbers alone, in silence.
     * @return what watches nothing
     */
    public static UnmarkedNumbers asTheyAre() {
        return new UnmarkedNumbers(null, null);
    }

    /**
     * Logs a warning where a number that JavaScript rounds could be an id.
     * @param couldBeId returns whether a positive number could be an id; any thread asks,
     * for each number beyond 2<sup>53</sup> - 1 of a member that the log has not named
     * @param endpoint returns what the current thread answers, as {@code GET /photos}, or
     * null; it is asked for numbers that are no members of a class
     * @return what watches the numbers
     */
    public static UnmarkedNumbers watched(LongPredicate couldBeId, Supplier<@Nullable String> endpoint) {
        return new UnmarkedNumbers(couldBeId, endpoint);
    }

    boolean areWatched() {
        return this.couldBeId != null;
    }

    /** Returns what watches the numbers of a member. */
    Watch member(Class<?> owner, String name) {
        // of a proxy of a projection, the interface names the member
        Class<?> type = (Proxy.isProxyClass(owner) && owner.getInterfaces().length > 0) ? owner.getInterfaces()[0]
                : owner;
        return new Watch("'%s' of '%s'".formatted(name, type.getName()));
    }

    /** Returns whether the log may have to name a place. */
    boolean listen(@Nullable Watch member) {
        return this.couldBeId != null && (member == null || !member.silent) && this.told.size() < MOST_LINES;
    }

    /** Warns of numbers that JavaScript rounds; a bare value has no member. */
    void leave(Object numbers, @Nullable Watch member, boolean inObject, boolean inArray) {
        LongPredicate ids = this.couldBeId;
        if (ids == null) {
            return;
        }
        OptionalLong id = numbers(numbers).filter((number) -> number > Ids.LARGEST_SAFE && ids.test(number))
            .findFirst();
        if (id.isPresent() && member != null) {
            member.silent = true;
            log(member.name, id.getAsLong(), "annotate the member with '@JsonShardedId'");
        }
        else if (id.isPresent()) {
            String at = (this.endpoint != null) ? this.endpoint.get() : null;
            log((inObject ? "a value of a map"
                    : (inArray || numbers instanceof long[]) ? "an element of a list" : "a bare value")
                    + ((at != null) ? " of '%s'".formatted(at) : ""), id.getAsLong(),
                    "put it into a record whose member has '@JsonShardedId'");
        }
    }

    private static LongStream numbers(Object numbers) {
        if (numbers instanceof long[] several) {
            return Arrays.stream(several);
        }
        if (numbers instanceof OptionalLong optional) {
            return optional.stream();
        }
        return (numbers instanceof BigInteger big && big.bitLength() >= Long.SIZE) ? LongStream.empty()
                : LongStream.of(((Number) numbers).longValue());
    }

    private void log(String place, long number, String remedy) {
        if (this.told.add(place)) {
            LOG.log(System.Logger.Level.WARNING,
                    "JSON carries what looks like an id as a number, which JavaScript rounds: member=%s, number=%s (once for each member); %s%s"
                        .formatted(place, number, remedy, (this.told.size() < MOST_LINES) ? ""
                                : " (this is the last such line of this application)"));
        }
    }

    /** Watches the numbers of one member, until the log has named it. */
    static final class Watch {

        private final String name;

        /** A thread that does not see it yet asks once more, and logs nothing. */
        private boolean silent;

        private Watch(String name) {
            this.name = name;
        }

    }

}
