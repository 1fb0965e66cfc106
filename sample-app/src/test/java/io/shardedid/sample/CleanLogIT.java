package io.shardedid.sample;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a newcomer reads who starts the sample and ends it.
 */
@Tag("proof")
class CleanLogIT {

    private static final Pattern TROUBLE = Pattern.compile("\\b(ERROR|WARN|WARNING|FATAL|PANIC|SEVERE)\\b");

    @Test
    void startAndEndLogNoTrouble(@TempDir Path folder) throws Exception {
        List<String> lines = new ArrayList<>();
        Process sample = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1",
                "io.shardedid.sample.SampleApplication", "--server.port=0")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
        try (BufferedReader output = new BufferedReader(
                new InputStreamReader(sample.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                if (line.contains("Started SampleApplication")) {
                    // the output stays open, other than by Process.destroy()
                    sample.toHandle().destroy();
                }
            }
            assertThat(sample.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
        finally {
            sample.destroyForcibly();
        }
        assertThat(lines).filteredOn((line) -> line.contains("First start: made")).hasSize(1);
        assertThat(lines).filteredOn((line) -> line.contains("given back")).hasSize(1);
        assertThat(lines).filteredOn((line) -> TROUBLE.matcher(line).find()).isEmpty();
    }

}
