package io.shardedid.cli;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * An id of Boundary's flake: 64 bits of milliseconds since 1970, 48 of MAC address, 16 of
 * sequence. Such ids are read, and not made, because they would show MAC addresses.
 * Source: boundary/flake, its README and flake_util.erl.
 *
 * @param number the 128 bits
 */
record Flake(BigInteger number) {

    static final String NAME = "flake";

    static final String WHY_READ_ONLY = "it shows the MAC address of the machine that made it";

    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private static final Pattern BYTES = Pattern
        .compile("\\p{XDigit}{32}|\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    private static final int BITS = 128;

    /** The end of the years of four digits. */
    private static final long LAST_MILLIS = 253_402_300_799_999L;

    /**
     * Reads the base 62 that flake prints, or the 16 bytes in hexadecimal, also as a UUID
     * is written.
     * @throws IllegalArgumentException if the text is none of these
     */
    static Flake parse(String text) {
        BigInteger number = BYTES.matcher(text).matches() ? new BigInteger(text.replace("-", ""), 16) : base62(text);
        if (number.signum() < 0 || number.bitLength() > BITS) {
            throw new IllegalArgumentException(
                    "id of flake must be 128 bits in base 62 or in 32 hexadecimal digits: id='%s'".formatted(text));
        }
        return new Flake(number);
    }

    private static BigInteger base62(String text) {
        BigInteger number = BigInteger.ZERO;
        for (char c : text.toCharArray()) {
            int value = DIGITS.indexOf(c);
            if (value < 0) {
                return BigInteger.ONE.negate();
            }
            number = number.multiply(BigInteger.valueOf(DIGITS.length())).add(BigInteger.valueOf(value));
        }
        return text.isEmpty() ? BigInteger.ONE.negate() : number;
    }

    /** What the id holds. */
    Map<String, Object> record(String text, Instant now) {
        long millis = this.number.shiftRight(64).longValue();
        boolean beyond = millis < 0 || millis > LAST_MILLIS;
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("id", text);
        if (!beyond) {
            record.put("time", Instant.ofEpochMilli(millis).toString());
        }
        record.put("mac", mac());
        record.put("sequence", this.number.intValue() & 0xffff);
        if (beyond || Instant.ofEpochMilli(millis).isAfter(now)) {
            record.put("problems", "its time has not come yet");
        }
        return record;
    }

    private String mac() {
        long address = this.number.shiftRight(16).longValue();
        List<String> bytes = new ArrayList<>();
        for (int shift = 40; shift >= 0; shift -= 8) {
            bytes.add(String.format(Locale.ROOT, "%02x", address >>> shift & 0xff));
        }
        return String.join(":", bytes);
    }

    static Map<String, Object> description() {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("preset", NAME);
        record.put("fields", "time 64, mac 48, sequence 16");
        record.put("epoch", Instant.EPOCH.toString());
        record.put("tick", "PT0.001S");
        record.put("readOnly", WHY_READ_ONLY);
        return record;
    }

}
