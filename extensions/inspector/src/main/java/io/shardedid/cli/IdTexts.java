package io.shardedid.cli;

import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.format.PublicIdFormat;

/**
 * The forms of ids that were typed. A prefix in front of an id is passed over, whatever
 * it is.
 *
 * @param form the name of the form in which ids are read
 */
record IdTexts(String form) {

    static final String DECIMAL = "decimal";

    /**
     * Returns the decimal text of an id. A text in decimal is left as it is, right or
     * not.
     * @throws IllegalArgumentException if there is no such form, or if the text is none
     * of it
     */
    String decimal(String text) {
        if (this.form.equals(DECIMAL)) {
            return text.substring(prefix(text, text.lastIndexOf('_') + 1));
        }
        return Long.toString(PublicIdFormat.names().contains(this.form)
                ? PublicIdFormat.named(this.form).parse(withoutPrefix(text, PublicIdFormat.named(this.form)))
                : BwmarrinBase.parse(this.form, text));
    }

    /** Returns the texts of an id in the forms of this project but decimal. */
    Map<String, String> of(long id) {
        Map<String, String> texts = new LinkedHashMap<>();
        PublicIdFormat.names()
            .stream()
            .filter((name) -> !name.equals(DECIMAL))
            .forEach((name) -> texts.put(name, PublicIdFormat.named(name).format(id)));
        return texts;
    }

    /** All texts of a form have one width. */
    private static String withoutPrefix(String text, PublicIdFormat format) {
        return text.substring(prefix(text, text.length() - format.format(0).length()));
    }

    /**
     * Returns how long the prefix of a text is: a length if so much of it is one, or 0.
     */
    private static int prefix(String text, int length) {
        if (length <= 0) {
            return 0;
        }
        try {
            PublicIdFormat.decimal().prefixed(text.substring(0, length));
            return length;
        }
        catch (ShardedIdConfigurationException noPrefix) {
            return 0;
        }
    }

}
