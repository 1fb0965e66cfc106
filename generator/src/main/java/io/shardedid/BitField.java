package io.shardedid;

/**
 * Where one field is in an id.
 *
 * @param bits its width; 0 for a field that the layout does not have
 * @param shift the bits below it
 */
record BitField(int bits, int shift) {

    int of(long id) {
        return (int) (id >>> this.shift & (1L << this.bits) - 1);
    }

    long at(long value) {
        return value << this.shift;
    }

    static void checkFits(String name, long value, int bits) {
        long last = (1L << bits) - 1;
        if (value < 0 || value > last) {
            throw new IllegalArgumentException("%s must be in [0, %s]: %s=%s".formatted(name, last, name, value));
        }
    }

}
