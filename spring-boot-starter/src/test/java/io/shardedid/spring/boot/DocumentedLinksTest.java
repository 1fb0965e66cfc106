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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each link of a page to a file of this project leads to a file, and each link to a
 * section leads to a heading. Each test that a page names exists, and so does each
 * message that the page on troubleshooting lists. No page has a word that its readers
 * stumble over.
 */
class DocumentedLinksTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    private static final Pattern FENCED = Pattern.compile("(?ms)^\\s*```.*?^\\s*```[^\\n]*$");

    /** {@code `FleetIT`}, or {@code `EngineTest.anIdIsPositive`} with a method. */
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    /** Passive voice without an actor, and words of a translator. */
    static final Pattern AVOIDED = Pattern.compile("(?i)\\b(?:(?:is|are|was|were|be|been) refused|whoever|somebody"
            + "|for people|tells|(?:comes|come|came) by|takes? (?:the|its|their) place|stands? in|founds|spent"
            + "|safe for use by (?:many|several|all) threads)\\b");

    /** A start that acts, "is no X", and people whom the page could name. */
    private static final Pattern STUMBLED = Pattern.compile(
            "(?i)\\b(?:(?:the|a|an|each|every) start (?:also |only |then )?(?:fails|logs|waits|warns|reads|tries|asks"
                    + "|looks|goes|helps|creates?|closes|migrates|takes|leases|makes|does|would|cannot|sees|says|checks)"
                    + "|(?:fails?|ends?) the start|nobody|everybody|(?<!there )(?:is|are) no (?!longer))\\b");

    /** Texts of the metadata, which the page on configuration repeats. */
    private static final Pattern METADATA = Pattern.compile("(?m)^\\| `shardedid\\..*$");

    private static final Pattern CODE = Pattern.compile("`[^`]*`");

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

    /** What is between two dots of omission is a part of one text of the main sources. */
    @Test
    void messagesThatAreListedExist() throws IOException {
        String texts = texts();
        List<String> messages = messages(Files.readString(ROOT.resolve("docs/troubleshooting.md")));

        assertThat(messages).hasSizeGreaterThan(50)
            .allSatisfy((message) -> assertThat(message.split("…")).as(message)
                .filteredOn((part) -> part.strip().length() > 3)
                .isNotEmpty()
                .allSatisfy((part) -> assertThat(texts.contains(part.strip())).as(part).isTrue()));
    }

    /** The first cells of the tables of messages. */
    static List<String> messages(String page) {
        return page.lines()
            .filter((line) -> line.startsWith("| `") || line.startsWith("| '"))
            .map((line) -> line.split("\\|")[1])
            .flatMap((cell) -> CODE.matcher(cell).results())
            .map((message) -> message.group().replace("`", ""))
            .toList();
    }

    /** The main sources, with each text in one piece. */
    private static String texts() throws IOException {
        StringBuilder texts = new StringBuilder();
        for (Path source : SOURCES) {
            if (source.toString().contains("/src/main/")) {
                texts.append(Files.readString(source).replaceAll("\"\\s*\\+\\s*\"", ""));
            }
        }
        return texts.toString();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void wordsAreThoseOfTheReader(Path page) throws IOException {
        assertThat(avoided(text(page))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void sentencesAreThoseOfANativeReader(Path page) throws IOException {
        assertThat(found(STUMBLED, METADATA.matcher(text(page)).replaceAll(""))).isEmpty();
    }

    @Test
    void findsSentencesThatANativeReaderStumblesOver() {
        assertThat(found(STUMBLED,
                "The start fails. It is no id, and there is no key.\nIt ends the\nstart. Nobody starts it."))
            .containsExactly("The start fails", "is no ", "ends the start", "Nobody");
    }

    @Test
    void findsWordsOutsideOfCode() {
        assertThat(avoided("A row founds a shard. The key is\nrefused. Set `sequence.spent`, found below."))
            .containsExactly("founds", "is refused");
    }

    private static List<String> avoided(String text) {
        return found(AVOIDED, text);
    }

    private static List<String> found(Pattern words, String text) {
        return words.matcher(CODE.matcher(text).replaceAll("").replaceAll("\\s+", " "))
            .results()
            .map(MatchResult::group)
            .toList();
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

    static boolean leadsSomewhere(Path page, String link) throws IOException {
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
