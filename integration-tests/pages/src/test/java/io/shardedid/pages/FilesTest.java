package io.shardedid.pages;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The pages that show files of a project that the build builds show them as they are.
 */
class FilesTest {

    /** Of what a test contains, SnippetsTest looks after. */
    private static final Pattern BLOCK = Pattern
        .compile("<!-- (examples/(?!\\S*/src/test/)\\S+) -->\n```\\w+\n(.*?)```\n", Pattern.DOTALL);

    private static final String[] FILES = { "/pom.xml", "/src/main/java/photos/Photo.java",
            "/src/main/java/photos/Photos.java", "/src/main/resources/application.properties" };

    private static final String JPA = "examples/ten-lines";

    private static final String KOTLIN = "examples/kotlin";

    private static final Pattern COORDINATES = Pattern.compile("['\"]([\\w.-]+:[\\w.-]+(?::[\\w.-]+)?)['\"]");

    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>\\s*<groupId>(.*?)</groupId>"
            + "\\s*<artifactId>(.*?)</artifactId>(?:\\s*<version>([^$]*?)</version>)?(\\s*<scope>test)?");

    static List<Arguments> pages() {
        return List.of(arguments("README.md", files(JPA, FILES)),
                arguments("docs/getting-started.md", files(JPA, FILES)),
                arguments("docs/other-stacks.md", Stream
                    .of(files(KOTLIN, "/pom.xml", "/src/main/kotlin/photos/Photo.kt",
                            "/src/main/kotlin/photos/Photos.kt", "/src/main/resources/application.properties"),
                            files("examples/jdbc", "/src/main/java/photos/Photo.java",
                                    "/src/main/java/photos/PhotoIds.java",
                                    "/src/main/resources/application.properties"),
                            files("examples/mybatis-plus", "/pom.xml", "/src/main/java/photos/PhotoIds.java",
                                    "/src/main/java/photos/Photo.java", "/src/main/resources/application.properties"),
                            files("examples/wildfly", "/src/main/java/photos/Photo.java"), files("examples/quarkus",
                                    "/src/ids/java/photos/PhotoIds.java", "/src/ids/java/photos/IdsAsStrings.java"))
                    .flatMap(List::stream)
                    .toList()));
    }

    private static List<String> files(String project, String... files) {
        return Stream.of(files).map((file) -> project + file).toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageShowsTheFilesAsTheyAre(String page, List<String> files) {
        Map<String, String> shown = blocks(Pages.text(page));

        assertThat(shown).containsOnlyKeys(files);
        shown.forEach((file, block) -> assertThat(file.endsWith(".xml") ? part(file, block) : file(file))
            .as("block of file '%s' in page '%s'", file, page)
            .isEqualTo(lines(block)));
    }

    /**
     * Gradle does not run here, so its files are compared with those that Maven reads.
     */
    @ParameterizedTest
    @ValueSource(strings = { "groovy", "kotlin" })
    void gradleAsksForWhatMavenAsksFor(String language) {
        String pom = Pages.text(KOTLIN + "/pom.xml").replace(ReleaseTest.built(), ReleaseTest.shown());
        String script = gradle(language);
        Set<String> expected = DEPENDENCY.matcher(pom.substring(0, pom.indexOf("<build>")))
            .results()
            .filter((found) -> found.group(4) == null)
            .map((found) -> found.group(1) + ":" + found.group(2)
                    + ((found.group(3) != null) ? ":" + found.group(3) : ""))
            .filter((coordinates) -> language.equals("kotlin") || !coordinates.startsWith("org.jetbrains.kotlin:"))
            .collect(Collectors.toCollection(TreeSet::new));
        String boot = element("version", pom);
        expected.add("org.springframework.boot:spring-boot-dependencies:" + boot);

        assertThat(COORDINATES.matcher(script).results().map((found) -> found.group(1)))
            .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(versions(script, "org\\.springframework\\.boot['\")]+")).containsExactly(boot);
        assertThat(versions(script, "kotlin\\(\"[\\w.]+\"\\)")).hasSize(language.equals("kotlin") ? 3 : 0)
            .allMatch(element("kotlin.version", pom)::equals);
    }

    private static String gradle(String language) {
        return Pattern.compile("```" + language + "\n(plugins \\{.*?)```", Pattern.DOTALL)
            .matcher(Pages.text("docs/other-stacks.md"))
            .results()
            .map((found) -> found.group(1))
            .collect(Collectors.joining());
    }

    private static List<String> versions(String script, String plugin) {
        return Pattern.compile(plugin + " version ['\"](.*?)['\"]")
            .matcher(script)
            .results()
            .map((found) -> found.group(1))
            .toList();
    }

    private static String element(String name, String pom) {
        return pom.replaceFirst("(?s).*?<" + name + ">(.*?)</" + name + ">.*", "$1");
    }

    private static Map<String, String> blocks(String page) {
        Map<String, String> blocks = new TreeMap<>();
        for (Matcher block = BLOCK.matcher(page); block.find();) {
            blocks.put(block.group(1), block.group(2));
        }
        return blocks;
    }

    /** What a reader needs to see: neither the package nor the imports. */
    private static List<String> file(String name) {
        return lines(Pages.text(name)
            .lines()
            .filter((line) -> !line.startsWith("package ") && !line.startsWith("import "))
            .collect(Collectors.joining("\n")));
    }

    /** As many lines from where the block begins, without their indentation. */
    private static List<String> part(String name, String block) {
        // between two releases, a page shows the latest one
        String shown = Pages.text(name).replace(ReleaseTest.built(), ReleaseTest.shown());
        List<String> file = lines(shown).stream().map(String::strip).toList();
        List<String> wanted = lines(block);
        int from = Math.max(file.indexOf(wanted.get(0)), 0);
        List<String> found = file.subList(from, Math.min(from + wanted.size(), file.size()));
        return found.equals(wanted.stream().map(String::strip).toList()) ? wanted : found;
    }

    private static List<String> lines(String text) {
        return text.strip().lines().toList();
    }

}
