package io.shardedid.newcomer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What the first pages tell a newcomer to type.
 */
record Pages(String readme, String gettingStarted) {

    private static final String PROJECT = "examples/ten-lines/";

    private static final Pattern FILE = Pattern.compile("(?s)<!-- " + PROJECT + "(\\S+) -->\n```\\w+\n(.*?)```");

    private static final Pattern IMPORTS = Pattern.compile("```java\n((?:import [^\n]+;\n|\n)+)```");

    private static final Pattern COMMANDS = Pattern.compile(
            "<!-- run by NewcomerIT -->\n\n((?:    [^\n]*\n)+)|<!-- run by NewcomerIT and .ci/run -->\n\n((?:    [^\n]*\n)+)");

    static Pages of(Path clone) throws IOException {
        return new Pages(Files.readString(clone.resolve("README.md")),
                Files.readString(clone.resolve("docs/getting-started.md")));
    }

    /** The commands of both pages, each once, in their order. */
    List<String> commands() {
        return COMMANDS.matcher(this.readme + this.gettingStarted)
            .results()
            .map((block) -> (block.group(1) != null) ? block.group(1) : block.group(2))
            .flatMap(String::lines)
            .map((line) -> line.replaceFirst("\\s+#.*", "").strip())
            .distinct()
            .toList();
    }

    /** The files of the README, by their paths. */
    Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        FILE.matcher(this.readme).results().forEach((file) -> files.put(file.group(1), file.group(2)));
        return files;
    }

    /** What the page beside the README lets its classes import. */
    List<String> imports() {
        return IMPORTS.matcher(this.gettingStarted)
            .results()
            .map((MatchResult imports) -> imports.group(1))
            .flatMap((lines) -> Arrays.stream(lines.split("\n")))
            .filter((line) -> !line.isBlank())
            .distinct()
            .toList();
    }

}
