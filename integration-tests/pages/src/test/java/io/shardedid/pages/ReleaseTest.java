package io.shardedid.pages;

import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages name the latest release that the changelog has, and the snapshot of this build
 * until there is one.
 */
class ReleaseTest {

    private static final Pattern RELEASE = Pattern.compile("(?m)^## (\\d+\\.\\d+\\.\\d+) \\(\\d{4}-\\d\\d-\\d\\d\\)$");

    private static final Pattern SHOWN = Pattern
        .compile("<artifactId>shardedid-[\\w-]+</artifactId>\\s*<version>([^<]+)</version>"
                + "|io\\.shardedid:shardedid-[\\w-]+:([\\w.-]+)"
                + "|shardedid-[a-z-]+?-(\\d+\\.\\d+\\.\\d+(?:-SNAPSHOT)?)\\.jar");

    /** The version of this build. */
    static String built() {
        return Pages.text("pom.xml").replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1");
    }

    /** The version on the pages. */
    static String shown() {
        return latest().orElseGet(ReleaseTest::built);
    }

    private static Optional<String> latest() {
        return RELEASE.matcher(Pages.text("CHANGELOG.md")).results().map((release) -> release.group(1)).findFirst();
    }

    @ParameterizedTest
    @ValueSource(strings = { "README.md", "docs/getting-started.md" })
    void pageSaysThatThereIsNoReleaseUntilThereIsOne(String page) {
        assertThat(Pages.text(page).contains("no release yet")).isEqualTo(latest().isEmpty());
    }

    @Test
    void releaseHasAnEntryInTheChangelog() {
        if (!built().endsWith("-SNAPSHOT")) {
            assertThat(latest()).contains(built());
        }
    }

    @Test
    void pagesShowOneVersion() {
        List<String> versions = Pages.all()
            .stream()
            .flatMap((page) -> SHOWN.matcher(Pages.text(page)).results())
            .map(ReleaseTest::version)
            .toList();

        assertThat(versions).hasSizeGreaterThan(20).containsOnly(shown());
    }

    private static String version(MatchResult found) {
        return Stream.of(found.group(1), found.group(2), found.group(3))
            .filter((version) -> version != null)
            .findFirst()
            .orElseThrow();
    }

}
