package io.shardedid.move;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Each limit of the command line arrives under its name, and ends where it says. */
class LimitsOfCommandsTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({ "pause-limit, 0, 1, 3600, 3601", "patience, -1, 0, 3600, 3601",
            "after, 599, 600, 315360000, 315360001" })
    void isInItsRange(String limit, int below, int least, int most, int above) throws IOException {
        assertThat(run(limit, below)).contains(limit + "=").contains("correct it");
        assertThat(run(limit, above)).contains(limit + "=").contains("correct it");
        assertThat(run(limit, least)).doesNotContain(limit).contains("SQLState=08");
        assertThat(run(limit, most)).doesNotContain(limit).contains("SQLState=08");
    }

    /** No server is there. */
    private String run(String limit, int seconds) throws IOException {
        Path config = Files.writeString(this.folder.resolve("application.properties"), """
                shardedid.databases.home=a
                shardedid.databases.a.url=jdbc:postgresql://127.0.0.1:1/a
                shardedid.databases.b.url=jdbc:postgresql://127.0.0.1:1/b
                """);
        return said("move", "5", "--to=b", "--%s=%s".formatted(limit, seconds), "--config=" + config);
    }

    private static String said(String... arguments) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        ShardsCommand.run(out, out, Map.of(), arguments);
        return said.toString(StandardCharsets.UTF_8);
    }

    /** The help writes the values that are in force. */
    @Test
    void defaultsAreAMinuteAndADay() {
        assertThat(said("move", "--help").replaceAll("\\s+", " "))
            .containsPattern("--after.*\\(default: 86400, at least 600\\)")
            .containsPattern("--patience.*\\(default: 60\\)")
            .containsPattern("--pause-limit.*\\(default: 60\\)");
        assertThat(said("move", "--help").split("default: 60\\)")).hasSize(3);
    }

}
