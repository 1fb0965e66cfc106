package io.shardedid.cli;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.format.PublicIdFormat;

/**
 * The texts of bwmarrin/snowflake. They have no fixed width, so they do not sort as the
 * ids do. Source: its snowflake.go.
 */
enum BwmarrinBase {

    /** The digits of z-base-32. */
    BASE32("ybndrfg8ejkmcpqxot1uwisza345h769"),

    /** The digits of Go's strconv. */
    BASE36("0123456789abcdefghijklmnopqrstuvwxyz"),

    BASE58("123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"),

    /** Not a number in base 64: the decimal digits, each one a byte, in Base64. */
    BASE64("") {

        @Override
        String write(long id) {
            return Base64.getEncoder().encodeToString(Long.toString(id).getBytes(StandardCharsets.US_ASCII));
        }

        @Override
        OptionalLong read(String text) {
            try {
                byte[] digits = Base64.getDecoder().decode(text);
                OptionalLong id = IdLayout.parseText(new String(digits, StandardCharsets.US_ASCII));
                return (id.isPresent() && write(id.getAsLong()).equals(text)) ? id : OptionalLong.empty();
            }
            catch (IllegalArgumentException notBase64) {
                return OptionalLong.empty();
            }
        }

    };

    private final String digits;

    BwmarrinBase(String digits) {
        this.digits = digits;
    }

    String externalName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Writes an id that is not negative. */
    String write(long id) {
        StringBuilder text = new StringBuilder();
        long rest = id;
        do {
            text.append(this.digits.charAt((int) (rest % this.digits.length())));
            rest /= this.digits.length();
        }
        while (rest > 0);
        return text.reverse().toString();
    }

    /** Returns the id, or empty if the text is none of this base. */
    OptionalLong read(String text) {
        long id = 0;
        for (char c : text.toCharArray()) {
            int value = this.digits.indexOf(c);
            if (value < 0 || id > (Long.MAX_VALUE - value) / this.digits.length()) {
                return OptionalLong.empty();
            }
            id = id * this.digits.length() + value;
        }
        return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(id);
    }

    /**
     * Reads an id in a form of bwmarrin/snowflake.
     * @throws IllegalArgumentException if there is no such form, or if the text is none
     * of it
     */
    static long parse(String form, String text) {
        BwmarrinBase base = Arrays.stream(values())
            .filter((one) -> one.externalName().equals(form))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(
                    "form must be one of %s: form='%s'".formatted(String.join(", ", names()), form)));
        return base.read(text)
            .orElseThrow(() -> new IllegalArgumentException(
                    "Could not read an id: text='%s' (it must be a %s of bwmarrin/snowflake)".formatted(text, form)));
    }

    private static List<String> names() {
        return Stream.concat(PublicIdFormat.names().stream(), Arrays.stream(values()).map(BwmarrinBase::externalName))
            .toList();
    }

}
