package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Draws values as bars of text. The largest value has the longest bar. Not safe for use
 * by many threads.
 *
 * @param title what the values are
 * @param form how a value is written
 */
final class Bars {

    private static final int WIDTH = 32;

    private final String title;

    private final String form;

    private final List<String> names = new ArrayList<>();

    private final List<Series> values = new ArrayList<>();

    private final List<String> notes = new ArrayList<>();

    Bars(String title, String form) {
        this.title = title;
        this.form = form;
    }

    /** Adds a bar, unless nothing was measured. */
    void add(String name, Series measured, String note) {
        if (!measured.isEmpty()) {
            this.names.add(name);
            this.values.add(measured);
            this.notes.add(note);
        }
    }

    /** Returns the lines, or nothing if there is no bar. */
    String text() {
        if (this.names.isEmpty()) {
            return "";
        }
        int longest = Collections.max(this.names.stream().map(String::length).toList());
        double most = Collections.max(this.values.stream().map(Series::median).toList());
        StringBuilder text = new StringBuilder(this.title).append('\n');
        for (int i = 0; i < this.names.size(); i++) {
            double median = this.values.get(i).median();
            String bar = "#".repeat((int) Math.max(1, Math.round(WIDTH * median / most)));
            text.append(String
                .format(Locale.ROOT, "  %-" + longest + "s " + this.form + "  %-" + WIDTH + "s %s", this.names.get(i),
                        median, bar, this.notes.get(i))
                .stripTrailing()).append('\n');
        }
        return text.toString();
    }

}
