package io.shardedid.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * What a command found.
 *
 * @param records names with strings or whole numbers, in the order to show them
 * @param doubtful whether one of them cannot be what it was taken for
 * @param script what people read in place of the records, or null
 */
record InspectorOutput(List<Map<String, Object>> records, boolean doubtful, @Nullable String script) {

    InspectorOutput(List<Map<String, Object>> records, boolean doubtful) {
        this(records, doubtful, null);
    }

    /**
     * The script, or a line for each value and an empty one between records.
     */
    String text() {
        if (this.script != null) {
            return this.script;
        }
        return this.records.stream()
            .map((record) -> record.entrySet()
                .stream()
                .map((entry) -> "%-9s %s%n".formatted(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining()))
            .collect(Collectors.joining(System.lineSeparator()));
    }

    /** A JSON array of objects. */
    String json() {
        return this.records.stream()
            .map((record) -> record.entrySet()
                .stream()
                .map((entry) -> quoted(entry.getKey()) + ": " + value(entry.getValue()))
                .collect(Collectors.joining(", ", "  {", "}")))
            .collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    }

    private static String value(Object value) {
        return (value instanceof Number) ? value.toString() : quoted(value.toString());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            }
            else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
            else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

}
