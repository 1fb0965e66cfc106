package io.shardedid.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A script in the jar with {@code ${names}} for what the layout and the mapping say. Its
 * statements stand apart by an empty line, since the bodies of functions have semicolons
 * of their own.
 */
final class SqlTemplate {

    private SqlTemplate() {
    }

    /** Returns the statements, comments before them included, without a semicolon. */
    static List<String> statements(String name, Map<String, String> values) {
        String script = read(name);
        for (Map.Entry<String, String> value : values.entrySet()) {
            script = script.replace("${" + value.getKey() + "}", value.getValue());
        }
        if (script.contains("${")) {
            throw new IllegalStateException("script must have no names left: name=" + name);
        }
        return Arrays.stream(script.split("\\R\\R"))
            .map(String::strip)
            .map((statement) -> statement.endsWith(";") ? statement.substring(0, statement.length() - 1) : statement)
            .toList();
    }

    private static String read(String name) {
        try (InputStream script = SqlTemplate.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("script must be in the jar: name=" + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
