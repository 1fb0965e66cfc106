package io.shardedid.internal.lease;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

import io.shardedid.MessageText;

/**
 * Reads what others may have written into a store of names and texts: a name that is no
 * row's is left alone, and a text that cannot be decoded is taken as it stands. Each is
 * named in the log once. Used by one thread at a time, by those who write a store.
 *
 * @since 0.1
 */
public final class StrayRows {

    private static final System.Logger LOG = System.getLogger(StrayRows.class.getName());

    /** Only these are written: no sign, no zero in front, no white space. */
    private static final Pattern NUMBER = Pattern.compile("-1|0|[1-9][0-9]{0,8}");

    /** How many are remembered; later ones are not named. */
    private static final int MOST = 100;

    private final String store;

    private final Set<String> named = new HashSet<>();

    /**
     * Makes the reader of one store.
     * @param store the store, for the log
     */
    public StrayRows(String store) {
        this.store = store;
    }

    /**
     * Reads the name of a row.
     * @param name the name of a field or of a node
     * @return the worker id or {@link LeaseRow#LAYOUT}, or empty if the name is not the
     * one that a store writes: {@code 007}, {@code +7} and {@code ' 7'} are not row 7
     */
    public OptionalInt number(String name) {
        if (NUMBER.matcher(name).matches()) {
            return OptionalInt.of(Integer.parseInt(name));
        }
        name(name, "(a worker id has no sign, no zero in front and no white space); it is left alone: remove it");
        return OptionalInt.empty();
    }

    /**
     * Decodes a text that only people and messages read.
     * @param row the name of its row
     * @param encoded the text in the form of {@link java.net.URLEncoder}
     * @return the text, or what stands there if that is not in this form
     */
    public String text(String row, String encoded) {
        try {
            return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        }
        catch (IllegalArgumentException ex) {
            name(row, "(owner or layout='" + MessageText.shown(encoded)
                    + "' is not encoded as it should be); it is taken as it stands: find out who wrote it");
            return encoded;
        }
    }

    private void name(String name, String why) {
        if (this.named.size() < MOST && this.named.add(name)) {
            LOG.log(System.Logger.Level.WARNING,
                    "A row of the leases is not as it should be: store={0}, row=''{1}'' {2}", this.store,
                    MessageText.shown(name), why);
        }
    }

}
