package io.shardedid.routing;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * What strangers may have typed, for messages and logs: not too long, and in one line.
 */
final class Shown {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]");

    private static final int MOST = 80;

    private Shown() {
    }

    /** Returns a value that may be of any length. */
    static String value(Object value) {
        String text = String.valueOf(value);
        return line((text.length() > MOST) ? text.substring(0, MOST) + "..." : text);
    }

    /** Returns a message in which such values stand. */
    static String line(@Nullable String message) {
        return CONTROL.matcher(String.valueOf(message)).replaceAll("?");
    }

}
