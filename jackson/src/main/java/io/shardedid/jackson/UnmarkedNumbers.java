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

    static final String BARE = "a bare value";

    static final String ELEMENT = "an element of a list";

    static final String MAP_VALUE = "a value of a map";

    private static final System.Logger LOG = System.getLogger(UnmarkedNumbers.class.getName());

    private static final int MOST_LINES = 50;

    private final boolean asStrings;

    private final @Nullable LongPredicate couldBeId;

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private final AtomicInteger lines = new AtomicInteger();

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
     * Makes them strings, whatever class they stand in.
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

    /** Returns whether somebody looks at a number of a type before it leaves. */
    boolean concern(Class<?> type) {
        return (this.asStrings || this.couldBeId != null) && JsonIds.canBeUnsafe(type);
    }

    /** A number is about to leave that JavaScript would round. */
    void leaves(Object number, String where) {
        long id = JsonIds.number(number);
        if (this.couldBeId == null || id < 0 || this.lines.get() >= MOST_LINES || this.told.contains(where)
                || !this.couldBeId.test(id) || !this.told.add(where)) {
            return;
        }
        int line = this.lines.incrementAndGet();
        if (line <= MOST_LINES) {
            LOG.log(System.Logger.Level.WARNING,
                    "JSON carries what looks like an id as a number, which JavaScript rounds: member=%s, number=%d (once for each member); %s, or set 'shardedid.json.as-string=unsafe'%s"
                        .formatted(where, id, remedy(where),
                                (line == MOST_LINES) ? " (this is the last such line of this process)" : ""));
        }
    }

    private static String remedy(String where) {
        boolean member = !where.equals(BARE) && !where.equals(ELEMENT) && !where.equals(MAP_VALUE);
        return member ? "annotate the member with '@JsonShardedId'"
                : "put it into a record whose member has '@JsonShardedId'";
    }

    /** Of a proxy of a projection, the interface names the member. */
    static String member(Class<?> owner, String name) {
        Class<?> type = (Proxy.isProxyClass(owner) && owner.getInterfaces().length > 0) ? owner.getInterfaces()[0]
                : owner;
        return "'%s' of '%s'".formatted(name, type.getName());
    }

}
