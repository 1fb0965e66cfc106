package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each link of a page to a file of this project leads to a file, and each link to a
 * section leads to a heading. Each test that a page names exists.
 */
class DocumentedLinksTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    private static final Pattern FENCED = Pattern.compile("(?ms)^\\s*```.*?^\\s*```[^\\n]*$");

    /** {@code `FleetIT`}, or {@code `EngineTest.anIdIsPositive`} with a method. */
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    private static final List<Path> SOURCES = sources();

    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("sharding"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(DocumentedLinksTest::isPage).sorted().forEach(pages::add);
            }
        }
        return pages;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(Path page) throws IOException {
        assertThat(links(page)).filteredOn((link) -> !link.contains("://"))
            .allSatisfy((link) -> assertThat(leadsSomewhere(page, link)).as("link '%s' of '%s'", link, page).isTrue());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void testsThatAreNamedExist(Path page) throws IOException {
        List<MatchResult> names = TEST.matcher(text(page)).results().toList();

        assertThat(names).allSatisfy((name) -> assertThat(SOURCES).as("test '%s' of '%s'", name.group(), page)
            .anyMatch((source) -> source.endsWith(name.group(1) + ".java")
                    && (name.group(2) == null || declares(source, name.group(2)))));
    }

    private static boolean declares(Path source, String method) {
        try {
            return Files.readString(source).contains("void " + method + "(");
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<Path> sources() {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter((file) -> file.toString().endsWith(".java") && !file.toString().contains("/target/"))
                .toList();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> links(Path page) throws IOException {
        return LINK.matcher(text(page)).results().map((MatchResult link) -> link.group(1)).toList();
    }

    private static boolean leadsSomewhere(Path page, String link) throws IOException {
        int anchor = link.indexOf('#');
        String file = (anchor < 0) ? link : link.substring(0, anchor);
        Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return anchor < 0 || headings(target).contains(link.substring(anchor + 1));
    }

    /** Headings as the repository's host names them in links. */
    private static List<String> headings(Path page) throws IOException {
        return text(page).lines()
            .filter((line) -> line.startsWith("#"))
            .map((line) -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
            .map((line) -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
            .toList();
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    private static String text(Path page) throws IOException {
        return FENCED.matcher(Files.readString(page)).replaceAll("");
    }

}
