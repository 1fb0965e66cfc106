package io.shardedid;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The forms that ids have outside the database. {@code PublicIdFormat} describes them.
 *
 * @since 0.1
 */
public enum PublicIdForm {

    /** The form that {@code shardedid.form} names, for {@link PublicId#form()} only. */
    CONFIGURED,

    /** The number, which {@code PublicIdFormat.decimal()} writes. */
    DECIMAL,

    /** 13 characters that sort, which {@code PublicIdFormat.crockford()} writes. */
    CROCKFORD,

    /** 11 characters that sort, which {@code PublicIdFormat.base62()} writes. */
    BASE62,

    /**
     * 22 characters that hide the id, which {@code PublicIdFormat.sealed()} writes.
     */
    SEALED;

    /**
     * Returns the name that configuration gives the form.
     * @return for example {@code crockford}
     */
    public String externalName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the names of the forms that {@code shardedid.form} can have.
     * @return all names but that of {@link #CONFIGURED}
     */
    public static List<String> names() {
        return choices().stream().map(PublicIdForm::externalName).toList();
    }

    /**
     * Looks a form up by its name in configuration.
     * @param name for example {@code crockford}
     * @return the form, or empty if {@link #names()} does not contain the name
     */
    public static Optional<PublicIdForm> named(String name) {
        return choices().stream().filter((form) -> form.externalName().equals(name)).findFirst();
    }

    private static List<PublicIdForm> choices() {
        return Arrays.stream(values()).filter((form) -> form != CONFIGURED).toList();
    }

}
