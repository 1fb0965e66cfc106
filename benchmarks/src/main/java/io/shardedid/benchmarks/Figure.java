package io.shardedid.benchmarks;

/**
 * A figure to reach.
 *
 * @param what the quantity
 * @param goal how large it may be
 * @param measured what it was
 */
record Figure(String what, double goal, Series measured) {

    String verdict() {
        if (this.measured.isEmpty()) {
            return "";
        }
        if (this.measured.max() <= this.goal) {
            return "reached";
        }
        if (this.measured.min() > this.goal) {
            return "missed";
        }
        return (this.measured.median() <= this.goal) ? "reached by the median; the spread exceeds the margin"
                : "missed by the median; the spread exceeds the margin";
    }

}
