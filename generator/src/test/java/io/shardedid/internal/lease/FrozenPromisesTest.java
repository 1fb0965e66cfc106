package io.shardedid.internal.lease;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads what rows of version 0.1 say in the column {@code layout}. A version that reads
 * one of them in another way takes over ticks that another process holds.
 */
class FrozenPromisesTest {

    @Test
    void promisesAreReadAsTheyWereRecorded() throws IOException {
        assertThat(lines()).hasSize(6).allSatisfy((line) -> {
            String[] fields = line.split(";");
            LeaseRow row = new LeaseRow(Integer.parseInt(fields[1]), "token", 1, 0, 0, null,
                    fields[0].isEmpty() ? null : fields[0]);
            assertThat(row.tolerant()).isEqualTo(Boolean.parseBoolean(fields[2]));
            assertThat(row.reachMillis()).isEqualTo(Long.parseLong(fields[3]));
        });
    }

    @Test
    void promisesAreWrittenAsTheyWereRecorded() throws IOException {
        assertThat(lines()).anyMatch((line) -> line.startsWith(LeaseRow.promise(false, 30_000) + ";"))
            .anyMatch((line) -> line.startsWith(LeaseRow.promise(true, 10_000) + ";"));
    }

    private static List<String> lines() throws IOException {
        try (InputStream in = FrozenPromisesTest.class.getResourceAsStream("/frozen/promises.csv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                .filter((line) -> !line.startsWith("#"))
                .toList();
        }
    }

}
