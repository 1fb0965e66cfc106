package io.shardedid.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What messages, the Javadoc of public types, scripts and the sample say: words that
 * readers do not stumble over, durations as configuration has them, and pages that a user
 * of a jar can open. Each message of an exception is on the page on troubleshooting, in a
 * list that says why not, or says what to do itself.
 */
@Tag("slow")
class DocumentedMessagesTest {

    private static final Path ROOT = Path.of("..");

    private static final MainSources MAIN = MainSources.read();

    private static final Set<String> EXCEPTIONS = Set.of("ShardedIdException", "ShardedIdConfigurationException",
            "WorkerLeaseException", "ShardKeyException", "IdsAheadOfClockException", "IdRangeSpentException",
            "ShardMapException", "ShardUnknownException", "ShardMovedException", "CrossShardException", "MoveException",
            "Problem");

    /** What has a field for what to do. */
    private static final Set<String> PROBLEMS = Set.of("ShardedIdConfigurationException", "ShardMapException",
            "Problem");

    /** What Java makes of a duration. */
    private static final Pattern ISO_DURATION = Pattern.compile("\\bP(?:T|\\d)");

    private static final Pattern PAGE = Pattern.compile("[\\w/.-]+\\.md\\b");

    /** Names of meters, keys and classes are no words. */
    private static final Pattern NAME = Pattern.compile("\\{@code [^}]*}|[\\w-]+(?:\\.[\\w-]+)+");

    @Test
    void pagesAreNamedByTheirAddressAndExist() {
        assertThat(MAIN.texts).filteredOn((text) -> PAGE.matcher(text.text()).find())
            .hasSizeGreaterThan(3)
            .allSatisfy((text) -> {
                assertThat(text.callee()).as(text.toString()).endsWith("page");
                assertThat(DocumentedLinksTest.leadsSomewhere(ROOT.resolve("README.md"), text.text()))
                    .as(text.toString())
                    .isTrue();
            });
    }

    /** The fingerprint of a layout is a contract and keeps its form. */
    @Test
    void durationsAreWrittenAsConfigurationDoes() {
        assertThat(MAIN.printedDurations)
            .allMatch((place) -> place.matches("generator/src/main/java/io/shardedid/IdLayout.java:\\d+ tick\\(\\)"))
            .hasSize(1);
        assertThat(MAIN.texts).filteredOn((text) -> ISO_DURATION.matcher(text.text()).find())
            .extracting(MainSources.Text::text)
            .containsExactlyInAnyOrder("a duration with its unit such as 30s, 500ms or PT30S",
                    // of a property that ShardingSphere hands on and that has the ISO
                    // form alone
                    "write it like 'PT8S'",
                    // in JSON
                    "PT0.001S");
    }

    /** SQL and what people search for have the same digits and letters everywhere. */
    @Test
    void nothingDependsOnTheLanguageOfTheMachine() {
        assertThat(MAIN.ofTheMachine).isEmpty();
    }

    @Test
    void whatDependsOnTheLanguageOfTheMachineIsFound(@TempDir Path folder) throws IOException {
        Path broken = Files.writeString(folder.resolve("Broken.java"), """
                import java.util.Locale;
                class Broken {
                  String good(int i) {
                    return String.format(Locale.ROOT, "%,d", i) + "100 %% down %s %x".formatted(i, i);
                  }
                  String part(int i) {
                    return "(id >> %1$d)".formatted(i);
                  }
                  void print(Long l) {
                    System.out.printf("%s: %,.1f", l, 1.0);
                    System.getLogger("").log(System.Logger.Level.INFO, "version {0} of {1}", "a", l);
                    System.getLogger("").log(System.Logger.Level.INFO, "{0}", "a", Long.toString(l));
                  }
                  Object letters(String s) {
                    s.toLowerCase(Locale.ROOT);
                    java.time.format.DateTimeFormatter.ofPattern("MMM");
                    return s.toLowerCase();
                  }
                }
                """);

        assertThat(MainSources.read(List.of(broken)).ofTheMachine)
            .extracting((found) -> found.substring(found.indexOf(".java:") + 6))
            .containsExactly("7 (id >> %1$d)", "10 %s: %,.1f",
                    "11 System.getLogger(\"\").log(System.Logger.Level.INFO, \"version {0} of {1}\", \"a\", l)",
                    "16 java.time.format.DateTimeFormatter.ofPattern(\"MMM\")", "17 s.toLowerCase()");
    }

    /**
     * A comma that moves in a text changes nothing but the text. The places that have no
     * other way say why.
     */
    @Test
    void noExceptionIsJudgedByItsText() {
        assertThat(MAIN.judgedTexts).containsExactlyInAnyOrder(
                // look for passwords, and change nothing else
                "Credentials.carries", "Credentials.withoutUrls",
                // the SQLState 08001 of DriverManager is that of a server that is down
                "DriverFailure.noDriver",
                // the SQLState says what it is, and the driver of PostgreSQL puts the
                // severity before what the fence says
                "Refusals.text",
                // Lettuce has the code of a reply in its message alone
                "Refusal.of",
                // a line that is already in the log is not repeated
                "TableShardDirectory.failed", "OneDatabase.failed");
    }

    @Test
    void exceptionThatIsJudgedByItsTextIsFound(@TempDir Path folder) throws IOException {
        Path broken = Files.writeString(folder.resolve("Broken.java"), """
                class Broken {
                  boolean direct(Exception ex) {
                    return ex.getMessage().startsWith("x");
                  }
                  boolean byVariable(Exception ex) {
                    String text = String.valueOf(ex.getMessage());
                    return java.util.regex.Pattern.compile("x").matcher(text).find();
                  }
                  boolean byMethods(Exception ex) {
                    return parameter(line(ex));
                  }
                  boolean parameter(String text) {
                    return "x".equals(text);
                  }
                  String line(Exception ex) {
                    return String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
                  }
                  String shown(Exception ex) {
                    return ex.getMessage().replaceAll("x", "y") + "x".equals(ex.toString());
                  }
                }
                """);

        assertThat(MainSources.read(List.of(broken)).judgedTexts).containsExactlyInAnyOrder("Broken.direct",
                "Broken.byVariable", "Broken.parameter");
    }

    @Test
    void wordsOfMessagesAreThoseOfTheReader() {
        assertThat(MAIN.texts).hasSizeGreaterThan(2000)
            .allSatisfy((text) -> assertThat(avoided(text.text())).as(text.toString()).isEmpty());
    }

    @Test
    void wordsOfPublicTypesAreThoseOfTheReader() {
        assertThat(MAIN.documentation).hasSizeGreaterThan(500)
            .allSatisfy((each) -> assertThat(avoided(each.text())).as(each.toString()).isEmpty());
    }

    /** Scripts of the database, and the templates and scripts of the sample. */
    @Test
    void wordsOfResourcesAreThoseOfTheReader() throws IOException {
        List<Path> resources = resources();

        assertThat(resources).hasSizeGreaterThan(30)
            .allSatisfy((file) -> assertThat(avoided(Files.readString(file))).as(file.toString()).isEmpty());
    }

    /** What to do stands behind a semicolon, on the page, or nowhere for a reason. */
    @Test
    void eachMessageSaysWhatToDoOrHasARowOrAReason() throws IOException {
        List<String> onThePage = DocumentedLinksTest
            .messages(Files.readString(ROOT.resolve("docs/troubleshooting.md")));
        List<String> needNoRow = Files.readAllLines(Path.of("src/test/resources/messages-without-a-row.txt"))
            .stream()
            .filter((line) -> !line.isEmpty() && !line.startsWith("#"))
            .toList();
        List<String> messages = MAIN.texts.stream()
            .filter((text) -> EXCEPTIONS.contains(text.made()))
            .filter((text) -> text.text().contains(" ") && text.text().length() > 20)
            // says where a problem was found, which brings its own way out
            .filter((text) -> !text.made().equals("ShardedIdConfigurationException") || !text.text().endsWith(": "))
            .map((text) -> text.remedied() ? text.text() + "; " : text.text())
            .toList();

        assertThat(messages).hasSizeGreaterThan(200)
            .allSatisfy((message) -> assertThat(message.contains("; ") || needNoRow.stream().anyMatch(message::contains)
                    || onThePage.stream().anyMatch((row) -> isShown(message, row)))
                .as(message)
                .isTrue());
        assertThat(needNoRow).allSatisfy((line) -> assertThat(messages).as(line).anyMatch((it) -> it.contains(line)));
    }

    /**
     * Spring shows the second argument as what to do, and would not find it in the text.
     */
    @Test
    void whatToDoIsNoPartOfTheFailure() {
        assertThat(MAIN.texts).filteredOn((text) -> PROBLEMS.contains(text.made()) && text.text().length() > 20)
            .hasSizeGreaterThan(100)
            .allSatisfy(
                    (text) -> assertThat(text.text().replaceAll("\\([^()]*(?:\\)|$)", "").strip()).as(text.toString())
                        .doesNotContain("; "));
    }

    /** Between two dots of omission, a row has a part of its message. */
    private static boolean isShown(String message, String row) {
        return Stream.of(row.split("…"))
            .map(String::strip)
            .filter((part) -> part.length() > 3)
            .allMatch(message::contains);
    }

    private static List<String> avoided(String text) {
        return DocumentedLinksTest.AVOIDED
            .matcher(NAME.matcher(text).replaceAll(" ").replaceAll("\\s+(?:(?:\\*|--|#) )?", " "))
            .results()
            .map(MatchResult::group)
            .toList();
    }

    private static List<Path> resources() throws IOException {
        List<Path> resources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            files
                .filter((file) -> ROOT.relativize(file)
                    .toString()
                    .matches("(?!proof/).*src/main/resources/.*\\.(sql|lua|html|js|css|json)"))
                .forEach(resources::add);
        }
        return resources;
    }

}
