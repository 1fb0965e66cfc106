package io.shardedid.internal.lease;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * A row of the store, which belongs to one worker id.
 *
 * @param worker the worker id, or {@link #LAYOUT} for the row that holds the fingerprint
 * @param token random, new on every write; of the layout row: the identity of the
 * database, never changed
 * @param acquisitions how often the row was acquired, for messages, logs and metrics
 * @param leaseUntilMillis when the row may be taken, on the database's clock in epoch
 * milliseconds; 0 when it is free
 * @param hwmTick the first tick that was never leased to anyone under this worker id; of
 * the layout row: the tick of the very first lease
 * @param owner application, host and process
 * @param layout of the layout row: the fingerprint; of another row: what its holder
 * promises, or null
 * @since 0.1
 */
public record LeaseRow(int worker, String token, long acquisitions, long leaseUntilMillis, long hwmTick,
        @Nullable String owner, @Nullable String layout) {

    /** The number of the row that is no worker's. */
    public static final int LAYOUT = -1;

    /** A number without a sign, without a zero in front and without white space. */
    private static final Pattern NAME = Pattern.compile("-1|0|[1-9][0-9]{0,8}");

    private static final Pattern PROMISE = Pattern
        .compile("mode=(plain|tolerant) window=(\\d{1,10})(?: reach=(\\d{1,10}))?");

    /**
     * Returns whether a store of names and texts has written a row under this name. What
     * others have written beside the rows, such as {@code 007}, is no row.
     * @param name the name of a field or of a node
     * @return whether it is the decimal text of a worker id or of {@link #LAYOUT}
     */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Puts into words the rules that a holder keeps to, for the next holders of the row.
     * @param tolerant whether it keeps to the rules of a database that may lose commits
     * @param windowMillis how long its lease lasts without renewal
     * @return a text such as {@code mode=tolerant window=10000 reach=10000}
     */
    static String promise(boolean tolerant, long windowMillis) {
        return tolerant ? "mode=tolerant window=%s reach=%s".formatted(windowMillis, LeaseRules.REACH_MILLIS)
                : "mode=plain window=%s".formatted(windowMillis);
    }

    /**
     * Returns whether the last holder of this worker id kept to the rules of a database
     * that may lose commits. One that promised nothing did not.
     */
    boolean tolerant() {
        return reachMillis() > 0;
    }

    /**
     * Whether a process wrote this row. A command that carries rows between stores
     * promises nothing.
     */
    boolean promised() {
        return promise().matches();
    }

    /**
     * What the clock of the database showed when the holder of a lease wrote this row, in
     * milliseconds; 0 if the row does not tell.
     */
    long writtenMillis() {
        long window = windowMillis();
        return (window != 0) ? this.leaseUntilMillis - window : 0;
    }

    /**
     * How long the lease lasts that this row shows, in milliseconds; 0 if it was given
     * back, or the row does not tell.
     */
    long windowMillis() {
        Matcher promise = promise();
        return (this.leaseUntilMillis != 0 && this.leaseUntilMillis != LayoutChange.FOREVER && promise.matches())
                ? Long.parseLong(promise.group(2)) : 0;
    }

    /**
     * How far ahead of the database's clock the last holder held ticks at most, in
     * milliseconds; 0 if it promised no limit.
     */
    long reachMillis() {
        Matcher promise = promise();
        return (promise.matches() && promise.group(3) != null) ? Long.parseLong(promise.group(3)) : 0;
    }

    /**
     * Returns the owner as messages and logs may show it, since any account that may
     * write the row chooses it.
     * @return the owner without control characters, or {@code nobody}
     */
    public String shownOwner() {
        return (this.owner != null) ? MessageText.shown(this.owner) : "nobody";
    }

    private Matcher promise() {
        return PROMISE.matcher((this.layout != null && this.worker != LAYOUT) ? this.layout : "");
    }

}
