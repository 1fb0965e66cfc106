package io.shardedid.pages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each link of a page to a file of this project leads to a file, and each link to a
 * section leads to a heading. So do the addresses of pages in messages. Each test that a
 * page names exists.
 */
class LinksTest {

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    private static final Pattern FENCED = Pattern.compile("(?ms)^\\s*```.*?^\\s*```[^\\n]*$");

    /** {@code `FleetIT`}, or {@code `EngineTest.anIdIsPositive`} with a method. */
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    /** A page in a text of the main sources. */
    private static final Pattern IN_A_MESSAGE = Pattern.compile("\"([\\w/.-]+\\.md(?:#[\\w-]+)?)\"");

    private static final List<Path> SOURCES = Pages.sources();

    static List<Path> pages() {
        return Pages.all();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(Path page) {
        List<String> links = LINK.matcher(text(page)).results().map((link) -> link.group(1)).toList();

        assertThat(links).filteredOn((link) -> !link.contains("://"))
            .allSatisfy((link) -> assertThat(leadsSomewhere(page, link)).as("link '%s' of '%s'", link, page).isTrue());
    }

    @Test
    void pagesThatMessagesNameExist() {
        List<String> named = SOURCES.stream()
            .filter((source) -> Pages.name(source).contains("/src/main/"))
            .flatMap((source) -> IN_A_MESSAGE.matcher(Pages.text(source)).results())
            .map((page) -> page.group(1))
            .toList();

        assertThat(named).isNotEmpty()
            .allSatisfy((page) -> assertThat(leadsSomewhere(Pages.ROOT.resolve("README.md"), page)).as(page).isTrue());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void testsThatAreNamedExist(Path page) {
        List<MatchResult> names = TEST.matcher(text(page)).results().toList();

        assertThat(names).allSatisfy((name) -> assertThat(SOURCES).as("test '%s' of '%s'", name.group(), page)
            .anyMatch((source) -> source.endsWith(name.group(1) + ".java")
                    && (name.group(2) == null || Pages.text(source).contains("void " + name.group(2) + "("))));
    }

    private static boolean leadsSomewhere(Path page, String link) {
        int anchor = link.indexOf('#');
        String file = (anchor < 0) ? link : link.substring(0, anchor);
        Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return anchor < 0 || headings(target).contains(link.substring(anchor + 1));
    }

    /** Headings as the repository's host names them in links. */
    private static List<String> headings(Path page) {
        return text(page).lines()
            .filter((line) -> line.startsWith("#"))
            .map((line) -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
            .map((line) -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
            .toList();
    }

    private static String text(Path page) {
        return FENCED.matcher(Pages.text(page)).replaceAll("");
    }

}
