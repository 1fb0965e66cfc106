package io.shardedid.sample.postgres;

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
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a newcomer reads who starts the profiles with PostgreSQL and ends them: the log of
 * both instances and of their server.
 */
@Tag("proof")
@Timeout(300)
class CleanLogIT {

    private static final Pattern TROUBLE = Pattern.compile("\\b(ERROR|WARN|WARNING|FATAL|PANIC|SEVERE)\\b");

    /**
     * What Hibernate's update of a schema says, and that the embedded server is for
     * tests.
     */
    private static final Pattern EXPECTED = Pattern.compile("org\\.hibernate\\.orm\\.jdbc\\.warn .*"
            + "(SQLState: 00000|constraint \"\\w+\" of relation \"\\w+\" does not exist, skipping)|fsync=off");

    @Test
    void startAndEndOfTwoInstancesOnPostgresLogNoTrouble() throws Exception {
        List<String> lines = new ArrayList<>();
        Process sample = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1",
                "io.shardedid.sample.SampleApplication", "--spring.profiles.active=demo-two", "--server.port=0",
                "--sample.second-port=0", "--sample.demo-data=false")
            .redirectErrorStream(true)
            .start();
        try (BufferedReader output = new BufferedReader(
                new InputStreamReader(sample.getInputStream(), StandardCharsets.UTF_8))) {
            int started = 0;
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                if (line.contains("Started SampleApplication") && ++started == 2) {
                    // the output stays open, other than by Process.destroy()
                    sample.toHandle().destroy();
                }
            }
            assertThat(sample.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
        finally {
            sample.destroyForcibly();
        }
        assertThat(lines).filteredOn((line) -> line.contains("is given back")).hasSize(2);
        assertThat(lines).filteredOn((line) -> TROUBLE.matcher(line).find())
            .filteredOn((line) -> !EXPECTED.matcher(line).find())
            .isEmpty();
    }

}
