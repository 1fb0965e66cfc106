package io.shardedid.spring.checkpoint;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a process holds at a checkpoint: every copy that is restored would hold it, too.
 * In JVMs of their own, in which {@code org.crac} finds the classes of this package.
 */
@Tag("proof")
class CheckpointTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = { "lease", "random" })
    void checkpointOnRefreshHoldsNoWorker(String mode) throws Exception {
        List<String> lines = run(List.of("-Dspring.context.checkpoint=onRefresh"),
                List.of("--shardedid.worker.mode=" + mode));

        assertThat(lines).filteredOn((line) -> line.startsWith("CHECKPOINT"))
            .containsExactly("CHECKPOINT id=false worker=-1");
        assertThat(lines).anyMatch((line) -> line.startsWith("RESTORED "));
        if (mode.equals("lease")) {
            assertThat(lines).as("a lease before and another one after").contains("ACQUIRED 2");
        }
    }

    @Test
    void checkpointOnDemandHoldsNoWorker() throws Exception {
        List<String> lines = run(List.of(), List.of("later"));

        assertThat(lines).containsSubsequence("STARTED worker=0", "CHECKPOINT id=false worker=-1", "ACQUIRED 2");
    }

    private List<String> run(List<String> options, List<String> arguments) throws Exception {
        File output = this.folder.resolve("output").toFile();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Dorg.crac.Core.Compat=" + Core.class.getPackageName()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CheckpointedApplication.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
        boolean ended = process.waitFor(120, TimeUnit.SECONDS);
        process.destroyForcibly();
        List<String> lines = Files.readAllLines(output.toPath());
        assertThat(ended && process.exitValue() == 0).as(String.join("\n", lines)).isTrue();
        return lines;
    }

}
