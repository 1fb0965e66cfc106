package io.shardedid.cli;

import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.SealingKeys;

import org.jspecify.annotations.Nullable;

/**
 * The forms of ids that were typed. A prefix in front of an id is passed over, whatever
 * it is.
 *
 * @param form the name of the form in which ids are read
 * @param keys the keys of sealed ids, or null
 * @param tag what the ids belong to, or null
 */
record IdTexts(String form, @Nullable SealingKeys keys, @Nullable String tag) {

    private static final String DECIMAL = "decimal";

    private static final String SEALED = "sealed";

    /**
     * Returns the decimal text of an id. A text in decimal is left as it is, right or
     * not.
     * @throws IllegalArgumentException if there is no such form, or if the text is none
     * of it
     */
    String decimal(String text) {
        if (this.tag != null && !this.form.equals(SEALED)) {
            throw new IllegalArgumentException(
                    "Option '--tag' belongs to sealed ids: form='%s'; add '--form=sealed'".formatted(this.form));
        }
        if (this.form.equals(DECIMAL)) {
            return text.substring(prefix(text, text.lastIndexOf('_') + 1));
        }
        if (this.form.equals(SEALED)) {
            PublicIdFormat sealed = sealed();
            return Long.toString(sealed.parse(withoutPrefix(text, sealed)));
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
        if (this.tag != null) {
            texts.put(SEALED, sealed().format(id));
        }
        return texts;
    }

    private PublicIdFormat sealed() {
        if (this.keys == null || this.tag == null) {
            throw new IllegalArgumentException(
                    "Form sealed needs the tag and a key: tag='%s', keys=%s; name the entity with '--tag=Photo', and a file "
                        .formatted(this.tag, (this.keys != null) ? this.keys.size() : 0)
                            + "that has 'shardedid.sealing.keys' with '--config=FILE'");
        }
        return PublicIdFormat.sealed(this.keys, this.tag);
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
