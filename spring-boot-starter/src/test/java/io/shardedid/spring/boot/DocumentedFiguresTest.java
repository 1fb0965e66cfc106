package io.shardedid.spring.boot;

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
class DocumentedFiguresTest {

    private static final Path ROOT = Path.of("..");

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

    static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages()) {
            blocks.addAll(blocksOf(page, Files.readString(page)));
        }
        return blocks;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void figuresAreThoseOfTheirResults(Path page) throws IOException {
        assertThat(complaints(page, Files.readString(page))).isEmpty();
    }

    @Test
    void findsTheFiguresOfThePages() throws IOException {
        assertThat(blocks()).filteredOn((block) -> !block.results().isEmpty())
            .extracting((block) -> ROOT.relativize(block.page()).toString())
            .contains("README.md", "docs/choosing.md", "docs/performance.md", "docs/routing.md");
    }

    @Test
    void complainsAboutAFigureThatIsNotInItsResults() throws IOException {
        Path page = ROOT.resolve("proof/benchmarks/results/README.md");
        String link = "([figures](2026-11-23-AMD-EPYC-jdk17.md#figures))";

        assertThat(complaints(page, "An id takes 3.8 ns more " + link + ".")).isEmpty();
        assertThat(complaints(page, "An id takes 3.9 ns more " + link + "."))
            .containsExactly("no '3.9' in '2026-11-23-AMD-EPYC-jdk17.md#figures'");
        assertThat(complaints(page, "A row takes 12.6 µs " + link + "."))
            .containsExactly("no '12.6' in '2026-11-23-AMD-EPYC-jdk17.md#figures'");
        assertThat(complaints(page, "| 3.8 ns | 1.24 " + link + " |"))
            .containsExactly("no '1.24' in '2026-11-23-AMD-EPYC-jdk17.md#figures'");
        assertThat(complaints(page, "See " + link + ".\n\n| a | 1.8 ns |\n|---|---|\n| b | 1.9 ns |"))
            .containsExactly("no '1.9' in '2026-11-23-AMD-EPYC-jdk17.md#figures'");
    }

    @Test
    void complainsAboutAFigureWithoutResults() throws IOException {
        Path page = ROOT.resolve("README.md");

        assertThat(complaints(page, "An id takes 3.7 ns."))
            .containsExactly("no link to results, and no test: 'An id takes 3.7 ns.'");
        assertThat(complaints(page, "A row takes 1.2 times as long.")).hasSize(1);
        assertThat(complaints(page, "`OneShardIT` inserts 32,872 rows a second.")).isEmpty();
        assertThat(complaints(page, "The window is 2.7 s.")).isEmpty();
    }

    @Test
    void complainsAboutAFigureOfABusyMachineThatDoesNotSaySo() throws IOException {
        Path page = ROOT.resolve("proof/benchmarks/results/README.md");
        String link = "([results](2026-11-25-AMD-EPYC-jdk17-growth-processes.md#processes-at-rest))";

        assertThat(complaints(page, "The table sees 7.19 statements " + link + ".")).containsExactly(
                "'busy' must be in the text: load 24.89 in '2026-11-25-AMD-EPYC-jdk17-growth-processes.md'");
        assertThat(complaints(page, "On a busy machine the table saw 7.19 statements " + link + ".")).isEmpty();
    }

    /** The line with the range of the default layout, which grows with the clock. */
    @Test
    void sharesOfHashesThatLookLikeIdsAreThoseOfTheLayout() throws IOException {
        assertThat(Files.readString(ROOT.resolve("docs/json.md")).replaceAll("\\s+", " ")).contains(
                "one in " + hashesForOneId("2027-01-01T00:00:00Z") + " hashes of 63 bits looks like that by 2027, "
                        + "and one in " + hashesForOneId("2030-01-01T00:00:00Z") + " by 2030");
    }

    private static long hashesForOneId(String now) {
        IdLayout layout = IdLayout.standard();
        return Math.round(Math.pow(2, 63 + layout.shardBits()) / layout.firstIdAt(Instant.parse(now)) / 2000);
    }

    /** Of processes that draw their node by chance, as TSID does without a node. */
    @Test
    void chancesOfEqualNodesAreThoseOfTheReadme() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md")).replaceAll("\\s+", " "))
            .contains("Of 12 processes with a random node out of 1,024, two share one at "
                    + percent(12).setScale(1, RoundingMode.HALF_UP) + " % of all rollouts, of 40 at "
                    + percent(40).setScale(0, RoundingMode.HALF_UP) + " %");
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

    /** Those that say what holds now; decisions and notes on results tell what was. */
    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            files.filter((file) -> file.toString().endsWith(".md"))
                .filter((file) -> !file.endsWith("decisions.md"))
                .sorted()
                .forEach(pages::add);
        }
        return pages;
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
