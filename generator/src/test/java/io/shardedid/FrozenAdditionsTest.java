package io.shardedid;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.key.NumberForm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads what version 0.1 recorded after the files of {@link FrozenFilesTest}: keys of the
 * configuration, ids as texts, and shards of the smallest integers.
 */
class FrozenAdditionsTest {

    @Test
    void everyKeyIsRecorded() throws IOException {
        assertThat(Stream.concat(lines("keys.properties").stream(), lines("keys-since.properties").stream())
            .map((line) -> line.split("=", 2)[0]))
            .as("a new key gets a line in keys-since.properties")
            .containsExactlyInAnyOrderElementsOf(Arrays.stream(ShardedIdKey.values())
                .filter(ShardedIdKey::isPublic)
                .map(ShardedIdKey::externalName)
                .toList());
    }

    @Test
    void everyAddedKeyHasItsDefault() throws IOException {
        ShardedIdSettings byDefault = ShardedIdSettings.from(Map.of());
        assertThat(lines("keys-since.properties")).isNotEmpty().allSatisfy((line) -> {
            String name = line.split("=", 2)[0];
            String value = line.split("=", 2)[1];
            ShardedIdKey key = ShardedIdKey.named(name).orElseThrow();
            assertThat(byDefault.get(key)).as(name).isEqualTo(value.isEmpty() ? null : key.read(value));
        });
    }

    @Test
    void idsAsTextsAreReadAndWrittenAsTheyWereRecorded() throws IOException {
        assertThat(lines("texts.csv")).hasSize(4).allSatisfy((line) -> {
            long id = Long.parseLong(line.split(";")[0]);
            String text = line.split(";")[1];
            assertThat(NumberForm.Plain.TEXT.valueOf(id)).isEqualTo(text);
            assertThat(NumberForm.Plain.TEXT.idOf(text)).isEqualTo(id);
        });
    }

    @Test
    void bytesLeadToTheRecordedShards() throws IOException {
        assertThat(lines("shards-of-bytes.csv")).hasSize(8).allSatisfy((line) -> {
            String[] fields = line.split(";");
            ShardFunction function = fields[0].equals("modulo") ? ShardFunction.modulo() : ShardFunction.hash();
            assertThat(function.shardOf(Byte.valueOf(fields[1]), Integer.parseInt(fields[2])))
                .isEqualTo(Integer.parseInt(fields[3]));
        });
    }

    private static List<String> lines(String file) throws IOException {
        try (InputStream in = FrozenAdditionsTest.class.getResourceAsStream("/frozen/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                .filter((line) -> !line.startsWith("#"))
                .toList();
        }
    }

}
