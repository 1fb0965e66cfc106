package io.shardedid.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about this sample.
 */
class SamplePageTest {

    private static final Path DOCS = Path.of("..", "docs");

    private static final Pattern PICTURE = Pattern.compile("\\(screenshots/([a-z-]+\\.png)\\)");

    @Test
    void everyScreenshotIsShownAndThereIsNoOther() throws IOException {
        try (Stream<Path> pictures = Files.list(DOCS.resolve("screenshots"))) {
            assertThat(PICTURE.matcher(Files.readString(DOCS.resolve("getting-started.md")))
                .results()
                .map((MatchResult picture) -> picture.group(1))).containsExactlyInAnyOrderElementsOf(
                        pictures.map((picture) -> picture.getFileName().toString()).toList());
        }
    }

}
