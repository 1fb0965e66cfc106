package io.shardedid.tools;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A test is skipped by {@link Needs} and by nothing else. */
class NeedsTest {

    /** Whatever else skips a test, as it is imported. */
    private static final Pattern SKIPPING = Pattern.compile("(?m)^import (?:static )?(?:"
            + "org\\.junit\\.jupiter\\.api\\.(?:condition\\.|Assumptions|Disabled|extension\\.ExecutionCondition)"
            + "|org\\.assertj\\.core\\.api\\.Assumptions|org\\.opentest4j\\."
            + "|org\\.springframework\\.test\\.context\\.junit\\.jupiter\\.(?:En|Dis)abledIf)");

    @ParameterizedTest
    @EnumSource
    void aPropertyHidesEachTool(Tool tool) {
        assertThat(tool.missing(System.getenv("PATH"), "true"))
            .hasValueSatisfying((message) -> assertThat(message).endsWith(": hide."
                    + tool.name().toLowerCase(Locale.ROOT) + "=true (this build hides it); leave the property out"));
    }

    @Test
    void aMissingToolSkipsTheClassAndFailsItInCi() {
        assertThat(NeedsCondition.without("Could not find it", false).isDisabled()).isTrue();
        assertThat(NeedsCondition.without("Could not find it", false).getReason()).contains("Could not find it");
        assertThatIllegalStateException().isThrownBy(() -> NeedsCondition.without("Could not find it", true))
            .withMessage("Could not find it (with CI=true no test is skipped)");
    }

    @Test
    void noTestSkipsItselfByAnythingElse() throws IOException {
        assertThat(List.of("import static org.junit.jupiter.api.Assumptions.assumeTrue;",
                "import static org.assertj.core.api.Assumptions.assumeThat;",
                "import org.junit.jupiter.api.condition.EnabledIf;", "import org.junit.jupiter.api.Disabled;"))
            .allMatch((line) -> SKIPPING.matcher(line).find());
        assertThat(sources()).hasSizeGreaterThan(500);
        assertThat(sources(SKIPPING)).containsExactly("NeedsCondition.java");
    }

    /** On a machine that has the tool, nobody would notice. */
    @Test
    void eachTestThatUsesAToolSaysSo() throws IOException {
        List<String> using = sources(Pattern
            .compile("\\b(?:BrowserParameter|RedisServer|MySqlServer|Tool\\.[A-Z]+)\\b|\\bTestServer\\.MYSQL\\.fresh"))
            .stream()
            .filter((name) -> name.endsWith("IT.java"))
            .toList();
        assertThat(using).contains("FeedIT.java", "RedisFleetIT.java", "SteppedWallClockIT.java",
                "MySqlSettingsIT.java");
        assertThat(sources(Pattern.compile("(?m)^@Needs\\("))).containsAll(using);
    }

    private static List<String> sources(Pattern pattern) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path source : sources()) {
            if (pattern.matcher(Files.readString(source)).find()) {
                names.add(source.getFileName().toString());
            }
        }
        return names;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(Path.of(".."), new SimpleFileVisitor<>() {

            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                // what is built comes and goes
                String name = directory.getFileName().toString();
                return name.equals("target") || name.equals(".git") ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".java")) {
                    sources.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

        });
        return sources;
    }

}
