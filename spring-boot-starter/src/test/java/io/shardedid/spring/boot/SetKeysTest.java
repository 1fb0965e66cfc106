package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.shardedid.internal.config.ShardedIdKey;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class SetKeysTest {

    @Test
    void whatIsNotSetDoesNotReachTheSettings() {
        assertThat(bind(Map.of())).isEmpty();
        assertThat(bind(Map.of("shardedid.clock.max-wait", "PT3S")))
            .isEqualTo(Map.of("shardedid.clock.max-wait", Duration.ofSeconds(3)));
    }

    @Test
    void metadataDescribesEachKey() throws IOException {
        Map<String, JsonNode> described = metadata("properties");

        assertThat(described.keySet()).containsExactlyInAnyOrderElementsOf(publicKeys());
        assertThat(described.values()).allSatisfy((property) -> {
            assertThat(property.path("description").asString()).matches("[A-Z].*\\.");
            assertThat(property.path("type").asString())
                .matches("java.(lang|time|util)..*|io.shardedid.(internal.config..*|[A-Z].*)");
        });
    }

    @Test
    void metadataKnowsTheDefaultsOfTheSettings() throws IOException {
        Map<String, JsonNode> described = metadata("properties");

        assertThat(Arrays.stream(ShardedIdKey.values()).filter(ShardedIdKey::isPublic)).allSatisfy((key) -> {
            JsonNode byDefault = described.get(key.externalName()).get("defaultValue");
            String value = (byDefault != null) ? byDefault.asString() : null;
            assertThat(value).as(key.externalName()).isEqualTo(key.defaultValue());
        });
    }

    @Test
    void metadataExplainsEachValueOfAKeyThatHasFew() throws IOException {
        Map<String, JsonNode> hints = metadata("hints");

        assertThat(Arrays.stream(ShardedIdKey.values()).filter((key) -> key.type().isEnum())).hasSize(4)
            .allSatisfy((key) -> assertThat(values(hints.get(key.externalName()))).as(key.externalName())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(key.type().getEnumConstants()).map(SetKeysTest::spell).toList()));
        assertThat(values(hints.get("shardedid.layout.preset"))).containsExactlyElementsOf(IdLayout.presetNames());
    }

    @Test
    void metadataCountsTheProcessesThatCanRun() throws IOException {
        Pattern processes = Pattern.compile("([\\d,]+) processes\\.");
        Map<String, Integer> promised = new TreeMap<>();
        metadata("hints").get("shardedid.layout.preset").get("values").forEach((each) -> {
            Matcher count = processes.matcher(each.get("description").asString());
            if (count.find()) {
                promised.put(each.get("value").asString(), Integer.valueOf(count.group(1).replace(",", "")));
            }
        });

        assertThat(promised).containsKeys("standard", "many-shards", "many-processes")
            .allSatisfy((preset, count) -> assertThat(count).as(preset)
                .isEqualTo((1 << IdLayout.preset(preset).workerBits()) - 1));
    }

    @Test
    void metadataKnowsHowToTurnHealthOff() throws IOException {
        JsonNode health = all("properties").get("management.health.shardedid.enabled");

        assertThat(health.get("type").asString()).isEqualTo("java.lang.Boolean");
        assertThat(health.get("defaultValue").asBoolean()).isTrue();
        assertThat(health.get("description").asString())
            .isEqualTo("Whether to enable the health check of the id engine.");
    }

    private static List<String> values(JsonNode hint) {
        List<String> values = new ArrayList<>();
        hint.get("values").forEach((value) -> {
            assertThat(value.path("description").asString()).matches("[A-Z0-9'].*\\.");
            values.add(value.get("value").asString());
        });
        return values;
    }

    private static List<String> publicKeys() {
        return Arrays.stream(ShardedIdKey.values())
            .filter(ShardedIdKey::isPublic)
            .map(ShardedIdKey::externalName)
            .toList();
    }

    private static String spell(Object value) {
        return (value instanceof Enum<?> constant) ? constant.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : value.toString();
    }

    private static Map<String, Object> bind(Map<String, String> properties) {
        return SetKeys.of(new Binder(List.of(new MapConfigurationPropertySource(properties)), null,
                ApplicationConversionService.getSharedInstance()));
    }

    private static Map<String, JsonNode> metadata(String part) throws IOException {
        Map<String, JsonNode> ours = all(part);
        ours.keySet().removeIf((name) -> name.startsWith("management."));
        return ours;
    }

    private static Map<String, JsonNode> all(String part) throws IOException {
        Map<String, JsonNode> found = new TreeMap<>();
        try (InputStream json = SetKeys.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            new JsonMapper().readTree(json).get(part).forEach((each) -> found.put(each.get("name").asString(), each));
        }
        return found;
    }

}
