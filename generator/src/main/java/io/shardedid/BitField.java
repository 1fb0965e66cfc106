package io.shardedid;

/**
 * Where one field stands in an id.
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

}
