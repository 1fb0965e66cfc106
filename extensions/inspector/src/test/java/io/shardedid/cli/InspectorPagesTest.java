package io.shardedid.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The inspector prints what the pages show: each block of commands with the comment
 * {@code <!-- run by InspectorPagesTest -->} has commands and their outputs. A page may
 * leave the output out.
 */
class InspectorPagesTest {

    private static final Path ROOT = Path.of("..", "..");

    private static final Pattern BLOCK = Pattern
        .compile("(?s)<!-- run by InspectorPagesTest -->\n```console\n(.*?)```");

    private static final Pattern COMMAND = Pattern.compile("\\$ java -jar (\\S+) (.*)\n((?:(?!\\$ ).*\n)*)");

    static List<Shown> shown() throws IOException {
        List<Shown> shown = new ArrayList<>();
        try (Stream<Path> pages = Stream.of("", "docs", "extensions/public-ids").flatMap(InspectorPagesTest::files)) {
            for (Path page : pages.filter((path) -> path.toString().endsWith(".md")).sorted().toList()) {
                BLOCK.matcher(Files.readString(page))
                    .results()
                    .flatMap((block) -> COMMAND.matcher(block.group(1)).results())
                    .map((command) -> new Shown(page.getFileName().toString(), command.group(1), command.group(2),
                            command.group(3)))
                    .forEach(shown::add);
            }
        }
        return shown;
    }

    private static Stream<Path> files(String folder) {
        try {
            return Files.list(ROOT.resolve(folder));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    @ParameterizedTest
    @MethodSource("shown")
    void printsWhatThePageShows(Shown shown) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int status = new Inspector(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8),
                Instant.parse("2026-01-01T00:00:00Z"))
            .run(shown.arguments().split(" "));

        String printed = out.toString(UTF_8).replace("\r", "");
        assertThat(printed).as(err.toString(UTF_8)).isNotEmpty();
        assertThat(shown.output()).isIn("", printed);
        assertThat(status).isEqualTo(printed.contains("\nproblems ") ? Inspector.DOUBTFUL : Inspector.DONE);
    }

    /** A pattern of names would match the jars of the sources and of the Javadoc, too. */
    @Test
    void pagesNameTheJarThatTheBuildMakes() throws IOException {
        Matcher version = Pattern.compile("<artifactId>shardedid-parent</artifactId>\\s*<version>([^<]+)<")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();

        assertThat(shown()).isNotEmpty()
            .extracting(Shown::jar)
            .containsOnly("shardedid-inspector-" + version.group(1) + ".jar");
    }

    record Shown(String page, String jar, String arguments, String output) {
    }

}
