package io.shardedid.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A paragraph, a list or a table that tells a figure links to the results of the
 * benchmarks that it came from, or names the test that measured it; a table may leave
 * that to the paragraph before it. What is linked has the figure: some number of the
 * page, or of the section where the link names one, rounds to it.
 */
class FiguresTest {

    private static final Pattern RESULTS = Pattern
        .compile("\\]\\(((?:[^)\\s]*/)?\\d{4}-\\d\\d-\\d\\d-[^)\\s/#]*\\.md)(?:#([^)\\s]+))?\\)");

    private static final Pattern MEASURED_BY = Pattern.compile("`\\w+(?:Test|IT|Benchmark|Figures|Rounds|Growth)\\b");

    private static final String NUMBER = "(?<![\\w.,^-])(\\d[\\d,]*(?:\\.\\d+)?)";

    /** What nobody would write that did not measure it. */
    private static final Pattern MEASURED = Pattern
        .compile(NUMBER + " (?:ns|µs|(?:bytes|ids|rows|statements|pages) a (?:row|second)\\b)|\\d\\.\\d+ times");

    /** What is compared: numbers with decimals, and numbers with a unit. */
    private static final Pattern COMPARED = Pattern
        .compile(NUMBER + "(?= (?:ns|µs|ms|s|bytes|kB|MB|GB|times|pages|statements|lost races)\\b)|" + NUMBER);

    private static final Pattern LOAD = Pattern.compile("load before the run (\\d+\\.\\d+)");

    /** The load of a machine with two processors on which nothing else runs. */
    private static final double QUIET = 3;

    private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");

    static List<Block> blocks() {
        return Pages.current().stream().flatMap((page) -> blocksOf(page, Pages.text(page)).stream()).toList();
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.pages.Pages#current")
    void figuresAreThoseOfTheirResults(Path page) throws IOException {
        assertThat(complaints(page, Pages.text(page))).isEmpty();
    }

    @Test
    void findsTheFiguresOfThePages() {
        assertThat(blocks()).filteredOn((block) -> !block.results().isEmpty()).hasSizeGreaterThan(10);
    }

    /** The line with the range of the default layout, which grows with the clock. */
    @Test
    void sharesOfHashesThatLookLikeIdsAreThoseOfTheLayout() {
        assertThat(Pages.text("docs/json.md").replaceAll("\\s+", " ")).contains(
                "one in " + hashesForOneId("2027-01-01T00:00:00Z"), "one in " + hashesForOneId("2030-01-01T00:00:00Z"));
    }

    private static long hashesForOneId(String now) {
        IdLayout layout = IdLayout.standard();
        return Math.round(Math.pow(2, 63 + layout.shardBits()) / layout.firstIdAt(Instant.parse(now)) / 2000);
    }

    /** Of processes that draw their node by chance, as TSID does without a node. */
    @Test
    void chancesOfEqualNodesAreThoseOfThePage() {
        assertThat(Pages.text("docs/why.md")).contains(percent(12).setScale(1, RoundingMode.HALF_UP) + " %",
                percent(40).setScale(0, RoundingMode.HALF_UP) + " %");
    }

    private static BigDecimal percent(int processes) {
        double apart = 1;
        for (int before = 0; before < processes; before++) {
            apart *= (1024 - before) / 1024.0;
        }
        return BigDecimal.valueOf(100 * (1 - apart));
    }

    private static List<String> complaints(Path page, String text) throws IOException {
        List<String> complaints = new ArrayList<>();
        for (Block block : blocksOf(page, text)) {
            complaints.addAll(complaints(block));
        }
        return complaints;
    }

    private static List<String> complaints(Block block) throws IOException {
        List<String> complaints = new ArrayList<>();
        if (block.results().isEmpty()) {
            if (MEASURED.matcher(block.text()).find() && !MEASURED_BY.matcher(block.sources()).find()) {
                complaints.add("no link to results, and no test: '%s'".formatted(block.text()));
            }
            return complaints;
        }
        List<BigDecimal> found = new ArrayList<>();
        for (MatchResult link : block.results()) {
            Matcher load = LOAD.matcher(Files.readString(block.page().resolveSibling(link.group(1))));
            if (load.find() && Double.parseDouble(load.group(1)) > QUIET && !block.sources().contains("busy")) {
                complaints.add("'busy' must be in the text: load %s in '%s'".formatted(load.group(1),
                        Path.of(link.group(1)).getFileName()));
            }
            found.addAll(numbers(section(block.page().resolveSibling(link.group(1)), link.group(2))));
        }
        for (BigDecimal figure : figures(LINK.matcher(block.text()).replaceAll("$1"))) {
            if (found.stream()
                .noneMatch((number) -> number.setScale(figure.scale(), RoundingMode.HALF_UP).compareTo(figure) == 0)) {
                complaints.add("no '%s' in '%s'".formatted(figure.toPlainString(), names(block.results())));
            }
        }
        return complaints;
    }

    private static String names(List<MatchResult> links) {
        return String.join("', '", links.stream()
            .map((link) -> Path.of(link.group(1)).getFileName() + ((link.group(2) != null) ? "#" + link.group(2) : ""))
            .toList());
    }

    private static List<BigDecimal> figures(String text) {
        return COMPARED.matcher(text)
            .results()
            .filter((match) -> match.group(1) != null || match.group(2).contains("."))
            .map((match) -> number((match.group(1) != null) ? match.group(1) : match.group(2)))
            .toList();
    }

    private static List<BigDecimal> numbers(String text) {
        return Pattern.compile(NUMBER).matcher(text).results().map((match) -> number(match.group(1))).toList();
    }

    private static BigDecimal number(String text) {
        return new BigDecimal(text.replaceAll(",+$", "").replace(",", ""));
    }

    /** The text below a heading, up to the next one; without a heading the whole page. */
    private static String section(Path results, String anchor) throws IOException {
        String text = Files.readString(results);
        if (anchor == null) {
            return text;
        }
        return Stream.of(text.split("(?m)^#+ "))
            .filter((section) -> anchor.equals(section.lines()
                .findFirst()
                .orElse("")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-')))
            .findFirst()
            .orElseThrow(() -> new AssertionError("'%s' has no section '%s'".formatted(results, anchor)));
    }

    private static List<Block> blocksOf(Path page, String text) {
        List<Block> blocks = new ArrayList<>();
        String before = "";
        for (String each : text.replaceAll("(?ms)^```.*?^```$", "").split("\n\\s*\n")) {
            String block = each.strip();
            blocks.add(new Block(page, block.startsWith("|") ? before : "", block));
            before = block;
        }
        return blocks;
    }

    /**
     * A paragraph, a list or a table.
     *
     * @param page where it stands
     * @param before the block before a table
     * @param text its text
     */
    record Block(Path page, String before, String text) {

        String sources() {
            return this.before + "\n" + this.text;
        }

        /** Its own links to results, otherwise those before it. */
        List<MatchResult> results() {
            List<MatchResult> own = RESULTS.matcher(this.text).results().toList();
            return own.isEmpty() ? RESULTS.matcher(this.before).results().toList() : own;
        }

    }

}
