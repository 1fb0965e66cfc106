package io.shardedid.benchmarks;

import java.util.Locale;

/**
 * Numbers for people.
 */
final class Text {

    private Text() {
    }

    /** Three significant digits, never in powers of ten. */
    static String number(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "";
        }
        if (size == Math.rint(size) || size >= 1000) {
            return String.format(Locale.ROOT, (size >= 10_000) ? "%,.0f" : "%.0f", value);
        }
        return String.format(Locale.ROOT,
                (size >= 100) ? "%.0f" : (size >= 10) ? "%.1f" : (size >= 0.01) ? "%.2f" : "%.4f", value);
    }

}
