package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages that show the ten lines show the files of the project that the build builds.
 */
class TenLinesTest {

    private static final Path ROOT = Path.of("..");

    private static final String PROJECT = "proof/getting-started/ten-lines/";

    private static final Pattern BLOCK = Pattern.compile("<!-- (" + PROJECT + "\\S+) -->\n```\\w+\n(.*?)```\n",
            Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = { "README.md", "docs/getting-started.md" })
    void pageShowsTheFilesAsTheyAre(String page) {
        Map<String, String> shown = blocks(text(page));

        assertThat(shown).containsOnlyKeys(PROJECT + "pom.xml", PROJECT + "src/main/java/photos/Photo.java",
                PROJECT + "src/main/java/photos/Photos.java", PROJECT + "src/main/resources/application.properties");
        shown.forEach((file, block) -> assertThat(file.endsWith(".xml") ? part(file, block) : file(file))
            .as("block of file '%s' in page '%s'", file, page)
            .isEqualTo(lines(block)));
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
        return lines(text(name).lines()
            .filter((line) -> !line.startsWith("package ") && !line.startsWith("import "))
            .collect(Collectors.joining("\n")));
    }

    /** As many lines from where the block begins, without their indentation. */
    private static List<String> part(String name, String block) {
        List<String> file = lines(text(name)).stream().map(String::strip).toList();
        List<String> wanted = lines(block);
        int from = Math.max(file.indexOf(wanted.get(0)), 0);
        List<String> found = file.subList(from, Math.min(from + wanted.size(), file.size()));
        return found.equals(wanted.stream().map(String::strip).toList()) ? wanted : found;
    }

    private static List<String> lines(String text) {
        return text.strip().lines().toList();
    }

    private static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
