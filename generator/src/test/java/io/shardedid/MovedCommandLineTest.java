package io.shardedid;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MovedCommandLineTest {

    /** As {@code java -jar} does: neither Hibernate nor anything else is there. */
    @Test
    void saysWhereTheCommandLineIs() throws Exception {
        Path classes = Path.of(MovedCommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                classes.toString(), MovedCommandLine.class.getName(), "parse", "7")
            .redirectErrorStream(true)
            .start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
            .isEqualTo("Could not run a command: jar=shardedid-generator (the commands are those of the inspector); "
                    + "run 'java -jar' with the jar of shardedid-inspector, and leave this one beside it");
        assertThat(process.waitFor()).isEqualTo(2);
    }

}
