package io.shardedid.sample.id;

import java.util.List;

/**
 * A field of an id as it is drawn.
 *
 * @param name {@code sign}, {@code unused}, {@code time}, {@code shard}, {@code worker}
 * or {@code sequence}
 * @param from the highest bit, 63 to 0
 * @param to the lowest bit
 * @param bits the bits, high to low, as 0 and 1
 * @param value the bits as a number
 */
public record BitField(String name, int from, int to, String bits, String value) {

    static BitField of(String name, long id, int from, int width) {
        StringBuilder bits = new StringBuilder(width);
        for (int bit = from; bit > from - width; bit--) {
            bits.append(id >>> bit & 1);
        }
        return new BitField(name, from, from - width + 1, bits.toString(), Long.toUnsignedString(value(bits)));
    }

    private static long value(CharSequence bits) {
        return Long.parseUnsignedLong(bits, 0, bits.length(), 2);
    }

    public int width() {
        return this.bits.length();
    }

    /**
     * Returns where the field begins on a strip of 64 units.
     * @return units from the left, 0 to 63
     */
    public int x() {
        return 63 - this.from;
    }

    public List<String> digits() {
        return List.of(this.bits.split(""));
    }

    /**
     * Returns the bits that are 1 as the path of an SVG of height 1.
     * @return one rectangle for each run of ones; empty if there is none
     */
    public String ones() {
        StringBuilder path = new StringBuilder();
        int i = this.bits.indexOf('1');
        while (i >= 0) {
            int end = this.bits.indexOf('0', i);
            int run = ((end >= 0) ? end : width()) - i;
            path.append('M').append(x() + i).append(" 0h").append(run).append("v1h-").append(run).append('z');
            i = this.bits.indexOf('1', i + run);
        }
        return path.toString();
    }

}
