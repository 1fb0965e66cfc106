package io.shardedid.move;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The versions of rows that a comparison under the fence has seen: those of all
 * transactions below a horizon, and of some above it.
 *
 * @param horizon all transactions below it had ended then
 * @param recent transactions that are not below it, and had committed then
 */
record ComparedRows(long horizon, Set<Long> recent) {

    /*
     * PostgreSQL never changes a version of a row in place, so a row that was written
     * since has the number of a later transaction. A subtransaction has a number of its
     * own, which no snapshot lists, so it is not enough to know which transactions were
     * open: the numbers of the committed ones are those that the comparison has read.
     * Frozen rows keep their number. Rows have it modulo 2^32, so one that is very old
     * may look new, and is compared once more.
     */

    /** Nothing is known to be compared. */
    static final ComparedRows NONE = new ComparedRows(-1, Set.of());

    /** No statement lasts so long that as many transactions begin meanwhile. */
    private static final long BEGIN_MEANWHILE = 1 << 24;

    private static final long NUMBERS = 1L << 32;

    private static final Pattern TEXT = Pattern.compile("shardedid: compared (\\d{1,18}):([\\d,]*)");

    static ComparedRows parse(String text) {
        Matcher found = TEXT.matcher(text);
        return !found.matches() ? NONE : new ComparedRows(Long.parseLong(found.group(1)), numbers(found.group(2)));
    }

    /** The numbers of transactions, as a database lists them. */
    static Set<Long> numbers(String list) {
        return Stream.of(list.split(","))
            .filter((number) -> !number.isEmpty())
            .map(Long::valueOf)
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether a row may be of a transaction that is not below a horizon. */
    static String since(long horizon) {
        return "((xmin::text::bigint - %1$s) & %2$s) < (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint - %1$s + %3$s)"
            .formatted(horizon, NUMBERS - 1, BEGIN_MEANWHILE);
    }

    /** Forgets the transactions below a horizon. */
    static void forgetBelow(long horizon, Collection<Long> numbers) {
        numbers.removeIf((number) -> ((number - horizon) & (NUMBERS - 1)) >= NUMBERS / 2);
    }

    /** Whether a row may be another one than that which was compared. */
    String unknown() {
        return (this.horizon < 0) ? "true"
                : "%s AND xmin <> ALL ('{%s}'::xid[])".formatted(since(this.horizon), list());
    }

    private String list() {
        return this.recent.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public String toString() {
        return "shardedid: compared %s:%s".formatted(this.horizon, list());
    }

}
