package io.shardedid.benchmarks;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What PostgreSQL did for a query.
 *
 * @param scan the node that read the table
 * @param rows the rows that came back
 * @param buffers the pages that were looked at, in memory or not, each time anew
 */
record Explained(String scan, double rows, double buffers) {

    /**
     * Reads the plan off its JSON.
     * @throws IllegalStateException if the plan has no such property
     */
    static Explained of(String json) {
        String scan = "none";
        Matcher nodes = Pattern.compile("\"Node Type\": \"([^\"]*Scan)\"").matcher(json);
        if (nodes.find()) {
            scan = nodes.group(1);
        }
        // the first node is the whole query
        return new Explained(scan, first(json, "Actual Rows"),
                first(json, "Shared Hit Blocks") + first(json, "Shared Read Blocks"));
    }

    private static double first(String json, String property) {
        Matcher found = Pattern.compile("\"" + property + "\": ([0-9.]+)").matcher(json);
        if (!found.find()) {
            throw new IllegalStateException("The plan has no '%s': plan=%s".formatted(property, json));
        }
        return Double.parseDouble(found.group(1));
    }

}
