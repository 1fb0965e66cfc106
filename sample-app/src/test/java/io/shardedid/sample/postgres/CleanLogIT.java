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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a newcomer reads who starts a profile and ends it: the log of the instances and of
 * their servers.
 */
@Tag("proof")
class CleanLogIT {

    private static final Pattern TROUBLE = Pattern.compile("\\b(ERROR|WARN|WARNING|FATAL|PANIC|SEVERE)\\b");

    /**
     * What Hibernate's update of a schema says, and that the embedded server is for
     * tests, was asked before it was up, and ends before its users.
     */
    private static final Pattern EXPECTED = Pattern.compile(
            "embedded\\.EmbeddedPostgres .* FATAL:  (the database system is starting up|terminating connection due to administrator command)|org\\.hibernate\\.orm\\.jdbc\\.warn .*"
                    + "(SQLState: 00000|constraint \"\\w+\" of relation \"\\w+\" does not exist, skipping)|fsync=off");

    /** H2 closes a file that processes share before Spring ends. */
    private static final Pattern H2_IS_FIRST = Pattern.compile("could not be given back: .*Database is already closed");

    @ParameterizedTest
    @ValueSource(strings = { "default", "file", "postgres", "demo-two", "two-databases" })
    void startAndEndLogNoTrouble(String profile, @TempDir Path folder) throws Exception {
        int instances = profile.equals("demo-two") ? 2 : 1;
        List<String> lines = new ArrayList<>();
        Process sample = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1",
                "io.shardedid.sample.SampleApplication", "--spring.profiles.active=" + profile, "--server.port=0",
                "--sample.second-port=0", "--sample.demo-data=false")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
        try (BufferedReader output = new BufferedReader(
                new InputStreamReader(sample.getInputStream(), StandardCharsets.UTF_8))) {
            int started = 0;
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                if (line.contains("Started SampleApplication") && ++started == instances) {
                    // the output stays open, other than by Process.destroy()
                    sample.toHandle().destroy();
                }
            }
            assertThat(sample.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
        finally {
            sample.destroyForcibly();
        }
        assertThat(lines).filteredOn((line) -> line.contains("given back")).hasSize(instances);
        assertThat(lines).filteredOn((line) -> TROUBLE.matcher(line).find())
            .filteredOn((line) -> !EXPECTED.matcher(line).find())
            .filteredOn((line) -> !(profile.equals("file") && H2_IS_FIRST.matcher(line).find()))
            .isEmpty();
    }

}
