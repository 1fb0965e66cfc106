package io.shardedid.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.shardedid.config.ShardedIdKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of keys in {@code docs/configuration.md} and {@code README.md} say what the
 * settings read.
 */
class ConfigurationTableTest {

    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    @Test
    void referenceHasEachKeyWithItsDefault() throws IOException {
        assertThat(table("docs/configuration.md")).containsExactlyInAnyOrderEntriesOf(settings());
    }

    @Test
    void mostImportantKeysHaveTheirDefaults() throws IOException {
        Map<String, String> important = table("README.md");

        assertThat(important).hasSizeGreaterThan(5);
        assertThat(settings()).containsAllEntriesOf(important);
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        Arrays.stream(ShardedIdKey.values())
            .filter(ShardedIdKey::isPublic)
            .forEach((key) -> settings.put(key.externalName(), Objects.requireNonNullElse(key.defaultValue(), "none")));
        return settings;
    }

    private static Map<String, String> table(String page) throws IOException {
        Map<String, String> table = new LinkedHashMap<>();
        Files.readString(Path.of("..").resolve(page))
            .lines()
            .filter((line) -> line.startsWith("| `shardedid."))
            .forEach((line) -> addRow(line.split("\\|"), table));
        return table;
    }

    /** Keys after the first of a row begin like it; defaults stand in their order. */
    private static void addRow(String[] cells, Map<String, String> table) {
        List<String> keys = quoted(cells[1]);
        List<String> defaults = quoted(cells[2]);
        String prefix = keys.get(0).substring(0, keys.get(0).lastIndexOf('.') + 1);
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            table.put(key.startsWith("shardedid.") ? key : prefix + key, defaults.isEmpty() ? "none" : defaults.get(i));
        }
    }

    private static List<String> quoted(String cell) {
        return QUOTED.matcher(cell).results().map((MatchResult each) -> each.group(1)).toList();
    }

}
