package io.shardedid.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Writes ids as texts for the outside, and reads them back. Each id has one text, and
 * each text that is read has one id. A prefix can name the kind of thing:
 * {@code pho_1XHT1V000Z9S9}. Immutable and thread-safe.
 *
 * <table>
 * <caption>Forms</caption> <thead>
 * <tr>
 * <th>form</th>
 * <th>characters</th>
 * <th>texts sort as ids do</th>
 * <th>what it shows</th>
 * </tr>
 * </thead> <tbody>
 * <tr>
 * <td>{@link #decimal()}</td>
 * <td>1 to 19 digits</td>
 * <td>no</td>
 * <td>everything</td>
 * </tr>
 * <tr>
 * <td>{@link #crockford()}</td>
 * <td>13, upper or lower case</td>
 * <td>yes, as they are written</td>
 * <td>everything</td>
 * </tr>
 * <tr>
 * <td>{@link #base62()}</td>
 * <td>11, upper and lower case</td>
 * <td>yes, by their bytes</td>
 * <td>everything</td>
 * </tr>
 * <tr>
 * <td>{@link #sealed(SealingKeys, String)}</td>
 * <td>22</td>
 * <td>no</td>
 * <td>nothing without a key</td>
 * </tr>
 * </tbody>
 * </table>
 *
 * @since 0.1
 */
public final class PublicIdFormat {

    private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9]{0,14}_");

    private static final int SEALED_WIDTH = 22;

    /** Bytes in front of a sealed block, and digits for which they make all bits zero. */
    private static final int PADDING = 2;

    private final String name;

    private final String prefix;

    /** What a text must be, for messages. */
    private final String rule;

    /** A regular expression of what {@link #writer} writes. */
    private final String written;

    private final boolean sorted;

    private final LongFunction<String> writer;

    private final Function<String, OptionalLong> reader;

    private PublicIdFormat(String name, String prefix, String rule, String written, boolean sorted,
            LongFunction<String> writer, Function<String, OptionalLong> reader) {
        this.name = name;
        this.prefix = prefix;
        this.rule = rule;
        this.written = written;
        this.sorted = sorted;
        this.writer = writer;
        this.reader = reader;
    }

    /**
     * Returns the form that JSON and URLs have without this class: the number.
     * @return a format that also takes negative numbers, which a row may have from before
     */
    public static PublicIdFormat decimal() {
        return new PublicIdFormat("decimal", "", "a whole number of 64 bits", "[0-9]{1,19}", false, Long::toString,
                IdLayout::parseText);
    }

    /**
     * Returns Crockford's base 32: 13 characters without I, L, O and U. Lower case is
     * read as upper case, O as 0, and I and L as 1.
     * @return a format of ids that are not negative, whose texts sort as the ids do
     */
    public static PublicIdFormat crockford() {
        return fixed("crockford", "of Crockford's base 32", "[0-7][0-9A-HJKMNP-TV-Z]{12}", FixedWidth.crockford());
    }

    /**
     * Returns base 62: 11 characters of 0 to 9, A to Z and a to z.
     * @return a format of ids that are not negative, whose texts sort by their bytes as
     * the ids do
     */
    public static PublicIdFormat base62() {
        return fixed("base62", "of 0-9, A-Z and a-z", "[0-9A-Za-z]{11}", FixedWidth.base62());
    }

    private static PublicIdFormat fixed(String name, String digits, String written, FixedWidth form) {
        String rule = "%s characters %s, up to %s".formatted(form.width(), digits, form.write(Long.MAX_VALUE));
        return new PublicIdFormat(name, "", rule, written, true, (id) -> {
            if (id < 0) {
                throw new IllegalArgumentException(
                        "id must be >= 0 in the form %s: id=%s; write it in the form decimal or sealed".formatted(name,
                                id));
            }
            return form.write(id);
        }, form::read);
    }

    /**
     * Returns a form that hides the id: one AES block over the id and a tag, as a number
     * of 22 digits of base 64 in the alphabet for URLs. Its first digit is one of A to D,
     * so no text begins as an option or a formula does. The tag is the first 64 bits of
     * the SHA-256 of its name. A text that was not sealed with one of the keys for this
     * tag opens with a probability of 2<sup>-64</sup> for each key. The same id, tag and
     * key always make the same text.
     * @param keys the first one seals, and all of them open
     * @param tag what the ids belong to, for example {@code Photo}; texts of another tag
     * do not open
     * @return a format of all numbers of 64 bits
     * @throws ShardedIdConfigurationException if the tag is blank
     */
    public static PublicIdFormat sealed(SealingKeys keys, String tag) {
        if (tag.isBlank()) {
            throw new ShardedIdConfigurationException("Tag of sealed ids is blank: tag='%s'".formatted(tag),
                    "name what the ids belong to, as 'Photo'");
        }
        long tagBits = tagBits(tag);
        String rule = "%s characters that were sealed for '%s', keys=%s".formatted(SEALED_WIDTH, tag, keys.size());
        return new PublicIdFormat("sealed", "", rule, "[A-D][0-9A-Za-z_-]{21}", false,
                (id) -> text(keys.seal(id, tagBits)), (text) -> {
                    byte[] block = block(text);
                    return (block != null) ? keys.open(block, tagBits) : OptionalLong.empty();
                });
    }

    /**
     * Returns a form that needs no keys by its name.
     * @param name {@code decimal}, {@code crockford} or {@code base62}
     * @return the form
     * @throws ShardedIdConfigurationException if there is no such form; the message lists
     * those there are
     */
    public static PublicIdFormat named(String name) {
        return switch (name) {
            case "decimal" -> decimal();
            case "crockford" -> crockford();
            case "base62" -> base62();
            default -> throw new ShardedIdConfigurationException(
                    "form must be one of %s: form='%s'".formatted(String.join(", ", names()), MessageText.shown(name)));
        };
    }

    /**
     * Returns the names of the forms that need no keys.
     * @return what {@link #named(String)} accepts
     */
    public static List<String> names() {
        return List.of("decimal", "crockford", "base62");
    }

    /**
     * Returns this form with a prefix, which is written in front of each text and
     * expected there.
     * @param newPrefix 1 to 15 lower-case letters and digits, a letter first, and then
     * '_', for example {@code pho_}
     * @return the form, whose prefix replaces an earlier one
     * @throws ShardedIdConfigurationException if the prefix is another text
     */
    public PublicIdFormat prefixed(String newPrefix) {
        if (!PREFIX.matcher(newPrefix).matches()) {
            throw new ShardedIdConfigurationException(
                    "prefix must be 1 to 15 of a-z and 0-9, a letter first, and then '_', as 'pho_': prefix='%s'"
                        .formatted(MessageText.shown(newPrefix)));
        }
        return new PublicIdFormat(this.name, newPrefix, this.rule, this.written, this.sorted, this.writer, this.reader);
    }

    /**
     * Writes an id.
     * @param id the id
     * @return its text
     * @throws IllegalArgumentException if a negative number has no text in this form
     */
    public String format(long id) {
        return this.prefix + this.writer.apply(id);
    }

    /**
     * Reads an id. A text with another prefix is none, and of a sealed text the message
     * does not say why it does not open. Do not show the message to strangers.
     * @param text what {@link #format(long)} has written
     * @return the id, which need not be that of any row
     * @throws IllegalArgumentException if the text is no id
     */
    public long parse(String text) {
        Objects.requireNonNull(text, "text");
        if (!text.startsWith(this.prefix)) {
            throw new IllegalArgumentException(
                    "Could not read an id: text='%s' (it must begin with '%s'); take the text of the right kind"
                        .formatted(MessageText.shown(text), this.prefix));
        }
        return read(text).orElseThrow(() -> new IllegalArgumentException(
                "Could not read an id: text='%s' (it must be %s%s); take the text as it was given out".formatted(
                        MessageText.shown(text), this.prefix.isEmpty() ? "" : "'%s' and ".formatted(this.prefix),
                        this.rule)));
    }

    /** Returns the id of a text with the prefix, or empty if it does not open. */
    OptionalLong read(String text) {
        return this.reader.apply(text.substring(this.prefix.length()));
    }

    /**
     * Returns whether the texts sort by their bytes as the ids do.
     * @return whether sorted texts are sorted ids
     */
    public boolean sorted() {
        return this.sorted;
    }

    /**
     * Returns a regular expression of the texts, for OpenAPI. Of the texts that are
     * written only those of negative numbers need not match it.
     * @return for example {@code ^[0-9]{1,19}$}
     */
    public String pattern() {
        return "^" + this.prefix + this.written + "$";
    }

    /**
     * Returns the form and the prefix.
     * @return for example {@code crockford with prefix 'pho_'}
     */
    @Override
    public String toString() {
        return this.prefix.isEmpty() ? this.name : "%s with prefix '%s'".formatted(this.name, this.prefix);
    }

    private static long tagBits(String tag) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(tag.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        }
        catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Could not use SHA-256: every JDK has it", ex);
        }
    }

    /**
     * Two bytes of zeros in front make the block 24 whole digits, of which the first two
     * say nothing.
     */
    private static String text(byte[] block) {
        byte[] padded = ByteBuffer.allocate(PADDING + block.length).position(PADDING).put(block).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(padded).substring(PADDING);
    }

    /**
     * Returns the block of a text, or null if the text has none: other texts than those
     * that are written have bits in front of the block, or do not fill it.
     */
    private static byte @Nullable [] block(String text) {
        if (text.length() != SEALED_WIDTH) {
            return null;
        }
        try {
            byte[] padded = Base64.getUrlDecoder().decode("A".repeat(PADDING) + text);
            byte[] block = Arrays.copyOfRange(padded, PADDING, padded.length);
            return text(block).equals(text) ? block : null;
        }
        catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

}
