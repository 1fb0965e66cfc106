package io.shardedid.format;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Writes ids with a fixed number of digits of some base. The digits are in the order of
 * ASCII, so the texts sort as the ids do.
 */
final class FixedWidth {

    private static final int ASCII = 128;

    private final String digits;

    private final int width;

    private final byte[] values = new byte[ASCII];

    private FixedWidth(String digits, int width) {
        this.digits = digits;
        this.width = width;
        Arrays.fill(this.values, (byte) -1);
        for (int value = 0; value < digits.length(); value++) {
            this.values[digits.charAt(value)] = (byte) value;
        }
    }

    /** Reads lower case, too, and what looks like a digit as that digit. */
    static FixedWidth crockford() {
        FixedWidth form = new FixedWidth("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 13);
        form.readAlso('O', '0');
        form.readAlso('I', '1');
        form.readAlso('L', '1');
        for (char upper = 'A'; upper <= 'Z'; upper++) {
            form.readAlso(Character.toLowerCase(upper), upper);
        }
        return form;
    }

    static FixedWidth base62() {
        return new FixedWidth("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 11);
    }

    private void readAlso(char text, char digit) {
        this.values[text] = this.values[digit];
    }

    int width() {
        return this.width;
    }

    /** Writes an id that is not negative. */
    String write(long id) {
        char[] text = new char[this.width];
        long rest = id;
        for (int at = this.width - 1; at >= 0; at--) {
            text[at] = this.digits.charAt((int) (rest % this.digits.length()));
            rest /= this.digits.length();
        }
        return new String(text);
    }

    /** Returns the id, or empty if the text is none of this form. */
    OptionalLong read(String text) {
        if (text.length() != this.width) {
            return OptionalLong.empty();
        }
        long id = 0;
        for (int at = 0; at < this.width; at++) {
            char c = text.charAt(at);
            int value = (c < ASCII) ? this.values[c] : -1;
            if (value < 0 || id > (Long.MAX_VALUE - value) / this.digits.length()) {
                return OptionalLong.empty();
            }
            id = id * this.digits.length() + value;
        }
        return OptionalLong.of(id);
    }

}
