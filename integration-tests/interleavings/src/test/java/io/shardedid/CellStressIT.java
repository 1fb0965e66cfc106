package io.shardedid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs jcstress in a JVM of its own, which in turn runs each race in JVMs of its own. The
 * same races over cells that read and write in two steps show that it can see one.
 */
@Tag("proof")
@Tag("nightly")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CellStressIT {

    private static final String REAL = "^io\\.shardedid\\.[A-Z]\\w+Stress$";

    @Test
    void racesHaveNoForbiddenOutcome() throws Exception {
        Run run = stress(REAL);

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains(" 0 failed, 0 soft errs, 0 hard errs)")
            .contains(stressesOf("io/shardedid"))
            .doesNotContain("[FAILED]", "[ERROR]");
    }

    @Test
    void tornClaimIsFound() throws Exception {
        assertFound("TornClaimStress", "one value for two callers");
    }

    @Test
    void tornPoisonIsFound() throws Exception {
        assertFound("TornPoisonStress", "claimed and not seen: somebody else may get it too");
    }

    private static void assertFound(String variant, String description) throws Exception {
        Run run = stress("^io\\.shardedid\\.broken\\." + variant + "$");

        assertThat(run.exitCode()).as(run.output()).isEqualTo(1);
        assertThat(run.output()).contains("[FAILED] io.shardedid.broken." + variant, "Forbidden", description);
    }

    private static List<String> stressesOf(String folder) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/java", folder))) {
            return files.map((file) -> file.getFileName().toString())
                .filter((name) -> name.endsWith("Stress.java"))
                .map((name) -> name.replace(".java", ""))
                .toList();
        }
    }

    private static Run stress(String tests) throws Exception {
        Path folder = Files.createDirectories(Path.of("target", "jcstress").toAbsolutePath());
        Path output = folder.resolve("output-" + Integer.toHexString(tests.hashCode()) + ".txt");
        List<String> command = new ArrayList<>(List.of(javaCommand(), "-cp", classPath(), "org.openjdk.jcstress.Main"));
        command.addAll(List.of("-t", tests, "-r", folder.toString(), "-v"));
        command.addAll(List.of("-c", "2", "-af", "NONE", "-sc", "false", "-jvmArgs", "-XX:+UseParallelGC"));
        command.addAll(List.of("-f", "1", "-iters", "3", "-time", "500"));
        Process process = new ProcessBuilder(command).directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        try {
            int exitCode = process.waitFor();
            return new Run(exitCode, Files.readString(output));
        }
        finally {
            process.destroy();
        }
    }

    private static String javaCommand() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private record Run(int exitCode, String output) {
    }

}
