package io.shardedid.internal.lease;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * A row of the store, which belongs to one worker id.
 *
 * @param worker the worker id, or {@link #LAYOUT} for the row of what all processes have
 * in common
 * @param token random, new on every write; of the layout row: the identity of the table
 * until its next change
 * @param acquisitions how often the row was acquired, for messages, logs and metrics
 * @param leaseUntilMillis when the row may be taken, on the database's clock in epoch
 * milliseconds; 0 when it is free
 * @param hwmTick the first tick that was never leased to anyone under this worker id; of
 * the layout row: the tick of the very first lease
 * @param owner application, host and process
 * @param layout of the layout row: layout, mode and worker ids of the table; of another
 * row: the window of its holder, or null
 */
public record LeaseRow(int worker, String token, long acquisitions, long leaseUntilMillis, long hwmTick,
        @Nullable String owner, @Nullable String layout) {

    /** The number of the row that is no worker's. */
    public static final int LAYOUT = -1;

    /** A number without a sign, without a zero in front and without white space. */
    private static final Pattern NAME = Pattern.compile("-1|0|[1-9][0-9]{0,8}");

    private static final Pattern WINDOW = Pattern.compile("window=([1-9]\\d{0,9})");

    /**
     * Returns whether a store of names and texts has written a row under this name. What
     * others have written beside the rows, such as {@code 007}, is no row.
     * @return whether it is the decimal text of a worker id or of {@link #LAYOUT}
     */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Returns whether this is the layout row of a lease table that gives out some of the
     * worker ids of its layout only, so that another table may give out the others.
     * @return false for a row that is no layout row, or cannot be read
     */
    public boolean sharesWorkerIds() {
        if (this.worker != LAYOUT) {
            return false;
        }
        try {
            return !LayoutText.parse(this.layout).whole();
        }
        catch (ShardedIdConfigurationException ex) {
            // the start says what is wrong with it
            return false;
        }
    }

    /**
     * What the holder of a lease writes into its row for those who come later.
     * @param millis how long its lease lasts without renewal
     * @return a text such as {@code window=30000}
     */
    static String window(long millis) {
        return "window=" + millis;
    }

    /**
     * What the clock of the database showed when the holder of a lease wrote this row, in
     * milliseconds; 0 if the lease was given back, or the row does not tell.
     */
    long writtenMillis() {
        Matcher window = WINDOW.matcher((this.layout != null && this.worker != LAYOUT) ? this.layout : "");
        return (this.leaseUntilMillis != 0 && window.matches())
                ? this.leaseUntilMillis - Long.parseLong(window.group(1)) : 0;
    }

    /**
     * Returns the owner as messages and logs may show it, since any account that may
     * write the row chooses it.
     * @return the owner without control characters, or {@code nobody}
     */
    public String shownOwner() {
        return (this.owner != null) ? MessageText.shown(this.owner) : "nobody";
    }

}
