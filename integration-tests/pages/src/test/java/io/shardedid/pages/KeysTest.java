package io.shardedid.pages;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.shardedid.IdLayout;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each row of the tables of keys in {@code docs/configuration.md} begins with the key,
 * the default, and the texts that the configuration metadata has for the key and its
 * values. Further sentences may follow. What this test expects of a row can be pasted.
 * The table of presets in {@code docs/choosing.md} is that of the layouts.
 */
class KeysTest {

    @Test
    void eachRowBeginsWithTheMetadataOfItsKey() throws IOException {
        Map<String, String> page = page();
        Map<String, String> expected = generated();

        assertThat(page).containsOnlyKeys(expected.keySet());
        expected.forEach((key, row) -> assertThat(page.get(key)).startsWith(row));
    }

    /** Shards, processes and last day of each preset, and the epochs that are its own. */
    @Test
    void tableOfPresetsIsThatOfTheLayouts() throws IOException {
        String page = Pages.text("docs/choosing.md");

        assertThat(IdLayout.presetNames()).allSatisfy((name) -> {
            IdLayout layout = IdLayout.preset(name);
            assertThat(page).contains(layout.epoch().toString());
            List<String> row = page.lines()
                .filter((line) -> line.matches("\\| `" + name + "` \\| \\d.*"))
                .flatMap((line) -> Arrays.stream(line.split(" *\\| *")))
                .toList();
            assertThat(row).hasSize(7);
            assertThat(row.get(3)).isEqualTo((layout.shardBits() > 0) ? number(1 << layout.shardBits()) : "none");
            assertThat(row.get(4))
                .isEqualTo((layout.workerBits() > 0) ? number((1 << layout.workerBits()) - 1) : "1, not leased");
            assertThat(row.get(6)).isEqualTo(layout.lastUsableInstant().toString().substring(0, 10));
        });
    }

    private static String number(int number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static Map<String, String> page() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        List<String> lines = Pages.text("docs/configuration.md").lines().toList();
        lines.stream()
            .filter((line) -> line.startsWith("| `shardedid."))
            .forEach((line) -> assertThat(rows.put(line.split("`")[1], line)).as(line).isNull());
        return rows;
    }

    private static Map<String, String> generated() throws IOException {
        JsonNode metadata;
        try (InputStream file = Objects.requireNonNull(ShardedIdAutoConfiguration.class.getClassLoader()
            .getResourceAsStream("META-INF/spring-configuration-metadata.json"))) {
            metadata = JsonMapper.shared().readTree(file);
        }
        Map<String, String> rows = new TreeMap<>();
        metadata.get("properties").forEach((property) -> {
            String key = property.get("name").asString();
            if (key.startsWith("shardedid.")) {
                rows.put(key, row(key, property, metadata.get("hints")));
            }
        });
        return rows;
    }

    private static String row(String key, JsonNode property, JsonNode hints) {
        String byDefault = property.has("defaultValue") ? "`" + property.get("defaultValue").asString() + "`" : "";
        StringBuilder row = new StringBuilder(
                "| `%s` | %s | %s".formatted(key, byDefault, property.get("description").asString()));
        for (JsonNode hint : hints) {
            if (hint.get("name").asString().equals(key)) {
                hint.path("values")
                    .forEach((value) -> row.append(
                            " `%s`: %s".formatted(value.get("value").asString(), value.get("description").asString())));
            }
        }
        return row.toString();
    }

}
