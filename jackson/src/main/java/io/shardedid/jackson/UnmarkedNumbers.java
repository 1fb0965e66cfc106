package io.shardedid.jackson;

import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of the whole numbers that nothing marks as ids, where JavaScript would
 * round them: their magnitude is beyond 2<sup>53</sup> - 1. Several modules may share an
 * object of this class, and so may threads.
 *
 * @since 0.1
 */
public final class UnmarkedNumbers {

    private static final System.Logger LOG = System.getLogger(UnmarkedNumbers.class.getName());

    private static final int MOST_LINES = 50;

    private static final String RECORD = "put it into a record whose member has '@JsonShardedId'";

    private final boolean asStrings;

    private final @Nullable LongPredicate couldBeId;

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private final AtomicInteger lines = new AtomicInteger();

    private final Watch bareValues = new Watch("a bare value", RECORD);

    private final Watch elements = new Watch("an element of a list", RECORD);

    private final Watch valuesOfMaps = new Watch("a value of a map", RECORD);

    private UnmarkedNumbers(boolean asStrings, @Nullable LongPredicate couldBeId) {
        this.asStrings = asStrings;
        this.couldBeId = couldBeId;
    }

    /**
     * Leaves the numbers as Jackson writes them, in silence.
     * @return what neither changes nor watches a number
     */
    public static UnmarkedNumbers asTheyAre() {
        return new UnmarkedNumbers(false, null);
    }

    /**
     * Makes them strings, whatever class they are in.
     * @return what writes strings
     */
    public static UnmarkedNumbers asStrings() {
        return new UnmarkedNumbers(true, null);
    }

    /**
     * Leaves the numbers as Jackson writes them, and logs a warning where one of them
     * could be an id: once for each member of a class, and 50 times at most.
     * @param couldBeId returns whether a positive number could be an id; any thread asks,
     * for each number that JavaScript would round
     * @return what watches the numbers
     */
    public static UnmarkedNumbers watched(LongPredicate couldBeId) {
        return new UnmarkedNumbers(false, couldBeId);
    }

    boolean areStrings() {
        return this.asStrings;
    }

    /** Returns whether numbers of a type are changed or watched. */
    boolean concern(Class<?> type) {
        return (this.asStrings || this.couldBeId != null) && JsonIds.canBeUnsafe(type);
    }

    /** Returns what watches the numbers of a member. */
    Watch member(Class<?> owner, String name) {
        // of a proxy of a projection, the interface names the member
        Class<?> type = (Proxy.isProxyClass(owner) && owner.getInterfaces().length > 0) ? owner.getInterfaces()[0]
                : owner;
        return new Watch("'%s' of '%s'".formatted(name, type.getName()), "annotate the member with '@JsonShardedId'");
    }

    /** Returns what watches the numbers of a place that is no member. */
    Watch place(boolean inObject, boolean inArray) {
        return inObject ? this.valuesOfMaps : inArray ? this.elements : this.bareValues;
    }

    /** Watches the numbers of one place, until the log has named it. */
    final class Watch {

        private final String where;

        private final String remedy;

        /** A thread that does not see it yet asks once more, and hears the same. */
        private boolean silent;

        private Watch(String where, String remedy) {
            this.where = where;
            this.remedy = remedy;
        }

        /**
         * Returns whether a number that JavaScript would round could be an id in a place
         * that the log has not named.
         */
        boolean isNew(Object number) {
            return !this.silent && couldBeId(JsonIds.number(number));
        }

        private boolean couldBeId(long number) {
            UnmarkedNumbers all = UnmarkedNumbers.this;
            LongPredicate couldBeId = all.couldBeId;
            this.silent = couldBeId == null || all.lines.get() >= MOST_LINES || all.told.contains(this.where);
            return couldBeId != null && !this.silent && number >= 0 && couldBeId.test(number);
        }

        /** Such a number leaves as a number. */
        void log(Object number) {
            int line = UnmarkedNumbers.this.told.add(this.where) ? UnmarkedNumbers.this.lines.incrementAndGet()
                    : Integer.MAX_VALUE;
            if (line <= MOST_LINES) {
                LOG.log(System.Logger.Level.WARNING,
                        "JSON carries what looks like an id as a number, which JavaScript rounds: member=%s, number=%s (once for each member); %s, or set 'shardedid.json.as-string=unsafe'%s"
                            .formatted(this.where, JsonIds.digits(number), this.remedy,
                                    (line == MOST_LINES) ? " (this is the last such line of this application)" : ""));
            }
        }

    }

}
