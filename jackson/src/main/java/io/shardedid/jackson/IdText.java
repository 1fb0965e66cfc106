package io.shardedid.jackson;

/**
 * Writes ids as texts for the outside, and reads them back: in JSON, in URLs and in
 * descriptions of them. Implementations are immutable and thread-safe.
 *
 * @since 0.1
 */
public interface IdText {

    /**
     * Returns the text of JSON and URLs unless a module gives ids another one: the
     * number.
     * @return texts that also take negative numbers, which a row may have from before
     */
    static IdText decimal() {
        return DecimalText.DECIMAL;
    }

    /**
     * Writes an id.
     * @param id the id
     * @return its text
     * @throws IllegalArgumentException if a negative number has no text
     */
    String format(long id);

    /**
     * Reads an id. Do not show the message of a failure to strangers.
     * @param text what {@link #format(long)} has written
     * @return the id, which need not be that of any row
     * @throws IllegalArgumentException if the text is no id
     */
    long parse(String text);

    /**
     * Returns a regular expression of the texts, for OpenAPI. Of the texts that are
     * written only those of negative numbers need not match it.
     * @return for example {@code ^[0-9]{1,19}$}
     */
    String pattern();

    /**
     * Returns whether the texts are the numbers themselves, which are then read from
     * numbers of JSON, too.
     * @return false unless said otherwise
     */
    default boolean plain() {
        return false;
    }

    /**
     * Returns what each text begins with.
     * @return an empty text unless said otherwise
     */
    default String prefix() {
        return "";
    }

}
