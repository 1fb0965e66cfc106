package io.shardedid.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each block of commands on a page says in a comment before it what runs it, or why
 * nothing does: {@code <!-- run by .ci/run -->} or
 * {@code <!-- not run, because it needs … -->}.
 * <p>
 * A block of commands is every block that is indented, and every fenced block without a
 * language or with that of a shell. What runs a block is a script, or the source of a
 * test by its name alone. It contains each command of the block, or the comment, by which
 * it finds the block in the page.
 */
class CommandsTest {

    private static final List<String> SHELLS = List.of("", "sh", "bash", "shell", "console", "cmd", "powershell");

    private static final Pattern MARK = Pattern.compile("<!-- (run by|not run, because) ([^>]+) -->");

    /** What the scripts of this project add for a log. */
    private static final Pattern BATCH_OPTIONS = Pattern.compile(" (?:-B|-ntp|--batch-mode|--no-transfer-progress)\\b");

    static List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (Path page : Pages.all()) {
            blocks.addAll(blocksOf(Pages.name(page), Pages.text(page)));
        }
        return blocks;
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void blockSaysWhatRunsIt(Block block) throws IOException {
        assertThat(complaint(block)).isEmpty();
    }

    @Test
    void findsTheBlocksOfThePages() {
        assertThat(blocks()).hasSizeGreaterThan(20);
    }

    /** What is wrong with a block; empty if nothing is. */
    private static String complaint(Block block) throws IOException {
        Matcher mark = MARK.matcher(block.before());
        if (!mark.matches()) {
            return "no comment '<!-- run by … -->' or '<!-- not run, because … -->'";
        }
        if (!mark.group(1).equals("run by")) {
            return (mark.group(2).length() < 10) ? "no reason: '" + mark.group(2) + "'" : "";
        }
        List<String> left = new ArrayList<>(
                block.commands().stream().map((command) -> BATCH_OPTIONS.matcher(command).replaceAll("")).toList());
        for (String name : mark.group(2).split(", | and ")) {
            List<Path> runners = named(name);
            if (runners.isEmpty()) {
                return "no file of that name: '" + name + "'";
            }
            for (Path runner : runners) {
                String text = BATCH_OPTIONS.matcher(Files.readString(runner)).replaceAll("");
                left.removeIf((command) -> contains(text, command) || text.contains(block.before()));
            }
        }
        return left.isEmpty() ? "" : "not in '" + mark.group(2) + "': '" + String.join("', '", left) + "'";
    }

    /** As the whole of a line or of a text. */
    private static boolean contains(String text, String command) {
        return Pattern.compile("(?m)(?:^\\s*|[\"' ])" + Pattern.quote(command) + "(?:[\"']|$)").matcher(text).find();
    }

    private static List<Path> named(String name) {
        if (name.contains("/")) {
            Path script = Pages.ROOT.resolve(name);
            return Files.isRegularFile(script) ? List.of(script) : List.of();
        }
        return Pages.sources().stream().filter((file) -> file.endsWith(name + ".java")).toList();
    }

    private static List<Block> blocksOf(String page, String text) {
        List<Block> blocks = new ArrayList<>();
        String before = "";
        boolean blankBefore = true;
        boolean inList = false;
        List<String> lines = text.lines().toList();
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            String stripped = line.strip();
            if (stripped.isEmpty()) {
                blankBefore = true;
                continue;
            }
            List<String> body = new ArrayList<>();
            boolean commands = false;
            if (stripped.startsWith("```")) {
                commands = SHELLS.contains(stripped.substring(3));
                for (at++; !lines.get(at).strip().equals("```"); at++) {
                    body.add(lines.get(at).strip());
                }
            }
            else if (line.startsWith("    ") && blankBefore && !inList) {
                commands = true;
                for (; at < lines.size() && lines.get(at).startsWith("    "); at++) {
                    body.add(lines.get(at).strip());
                }
                at--;
            }
            else {
                inList = line.matches("(?:[-*]|\\d+\\.) .*") || inList && line.startsWith(" ");
            }
            if (commands) {
                blocks.add(new Block(page, before, commandsOf(body)));
            }
            before = stripped;
            blankBefore = false;
        }
        return blocks;
    }

    /** Of what a console shows only what follows its prompt. */
    private static List<String> commandsOf(List<String> body) {
        boolean console = body.stream().anyMatch((line) -> line.startsWith("$ "));
        String lines = String.join("\n", body.stream().filter((line) -> !console || line.startsWith("$ ")).toList());
        return Arrays.stream(lines.replaceAll("\\s*\\\\\n", " ").split("\n"))
            .map((line) -> line.replaceFirst("^\\$ ", "").replaceFirst("\\s+#.*", "").strip())
            .filter((line) -> !line.isEmpty())
            .toList();
    }

    record Block(String page, String before, List<String> commands) {
    }

}
