package io.shardedid.jackson;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An id as JSON may say it, whichever Jackson reads it: decimal digits, where
 * {@code Long.valueOf} would also take those of other scripts and a plus sign.
 */
public final class IdText {

    public static final String RULE = "an id must be a whole 64-bit number, as a string or a number";

    public static final String NOT_NULL = "an id of type 'long' must not be null";

    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,19}");

    private IdText() {
    }

    /**
     * Reads an id.
     * @return the id, or null if the text is none
     */
    static @Nullable Long read(String text) {
        if (!DECIMAL.matcher(text).matches()) {
            return null;
        }
        try {
            return Long.valueOf(text);
        }
        catch (NumberFormatException tooBig) {
            return null;
        }
    }

}
