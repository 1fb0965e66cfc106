package io.shardedid.sample.id;

/**
 * Writes 64 bits in eleven digits, letters and small letters, as short links do. The
 * digits have the order of ASCII and the length is fixed, so texts sort as their unsigned
 * numbers do.
 */
final class Base62 {

    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    /** The smallest length with 62<sup>length</sup> above 2<sup>64</sup>. */
    private static final int LENGTH = 11;

    private Base62() {
    }

    static String of(long bits) {
        char[] text = new char[LENGTH];
        long rest = bits;
        for (int i = LENGTH - 1; i >= 0; i--) {
            text[i] = DIGITS.charAt((int) Long.remainderUnsigned(rest, DIGITS.length()));
            rest = Long.divideUnsigned(rest, DIGITS.length());
        }
        return new String(text);
    }

}
