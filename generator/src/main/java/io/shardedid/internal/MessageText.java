package io.shardedid.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * Parts of messages in the form that users know: durations as in configuration, and pages
 * by their address.
 */
public final class MessageText {

    private static final String DOCS = docs();

    /** Where to read how an application gets another layout. */
    public static final String OTHER_LAYOUT = page(
            "docs/choosing.md#another-layout-number-of-shards-or-shard-function");

    private static final int LONGEST = 200;

    /** Control and format characters, separators of lines, and halves of characters. */
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    private MessageText() {
    }

    /**
     * Writes a duration as configuration does.
     * @return a number and its unit, such as {@code 30s} or {@code 500ms}
     */
    public static String duration(Duration value) {
        long seconds = value.getSeconds();
        if (value.getNano() == 0) {
            if (seconds == 0 || seconds % 60 != 0) {
                return seconds + "s";
            }
            return (seconds % 3600 == 0) ? seconds / 3600 + "h" : seconds / 60 + "m";
        }
        if (value.abs().toDays() > 0) {
            return BigDecimal.valueOf(seconds)
                .add(BigDecimal.valueOf(value.getNano(), 9))
                .stripTrailingZeros()
                .toPlainString() + "s";
        }
        long nanos = value.toNanos();
        if (nanos % 1_000_000 == 0) {
            return nanos / 1_000_000 + "ms";
        }
        return (nanos % 1000 == 0) ? nanos / 1000 + "us" : nanos + "ns";
    }

    /**
     * Returns where to read a page.
     * @param page the path of the page in the repository, with a section if need be
     * @return its URL, or the path as long as the project has no address of its own
     */
    public static String page(String page) {
        return DOCS + page;
    }

    /**
     * Writes a duration that was measured, as precisely as people read it.
     * @param value the duration, at least 0
     * @return the duration, rounded to whole seconds from ten on, else cut to
     * milliseconds
     */
    public static String measured(Duration value) {
        long seconds = value.plusMillis(500).getSeconds();
        return duration((seconds >= 10) ? Duration.ofSeconds(seconds) : Duration.ofMillis(value.toMillis()));
    }

    /**
     * Writes a text of others so that it cannot pass for lines of a log.
     * @param text what another process or an account of the database wrote
     * @return the text with {@code ?} in place of what is no visible character, cut to
     * 200 characters
     */
    public static String shown(String text) {
        String cut = (text.length() > LONGEST) ? text.substring(0, LONGEST) + "..." : text;
        return INVISIBLE.matcher(cut).replaceAll("?");
    }

    private static String docs() {
        Properties docs = new Properties();
        try (InputStream lines = MessageText.class.getResourceAsStream("/META-INF/shardedid/docs.properties")) {
            docs.load(Objects.requireNonNull(lines));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        String url = docs.getProperty("url");
        return url.contains(".invalid/") ? "" : url + "/";
    }

}
