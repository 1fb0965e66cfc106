package io.shardedid.compatibility;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The page: columns with their versions, then a table for each test class.
 */
final class CompatibilityPage {

    private static final String SOURCES = "../generator/src/test/java/io/shardedid/hibernate/";

    private final Compatibility compatibility;

    private final StringBuilder text = new StringBuilder();

    private CompatibilityPage(Compatibility compatibility) {
        this.compatibility = compatibility;
    }

    static String of(Compatibility compatibility) {
        CompatibilityPage page = new CompatibilityPage(compatibility);
        page.text
            .append("""
                    # Compatibility

                    This page shows which mapping and which operation works on which database and on which version of
                    Hibernate. These commands write it from the reports of the tests:

                    <!-- not run, because the second command writes this page anew -->

                        mvn clean verify
                        mvn verify -Pproof -Dcompatibility.write=true

                    Without `-Dcompatibility.write=true`, the second command fails when a cell is red, when a Hibernate
                    line left a row out, or when this page shows something else. The command takes less time with
                    `-Dproof.tests=none -pl '!proof/stress,!proof/benchmarks,!proof/getting-started,!proof/boot-lines/3.5,!proof/boot-lines/4.0'`.

                    """);
        page.columns();
        page.text.append("""
                Column 7.4 is the build itself. The other Hibernate lines run the jar of the generator with tests
                that are compiled for each line. PostgreSQL and MariaDB run the tests whose SQL differs between
                databases. Each row is a test: the row names the fact that the test asserts, and the link above the
                table leads to its class. If something cannot work, because ShardedId or Hibernate does not support
                it, the row says that it *refuses* or *fails*, and the test holds the whole message. `✓` means that
                the fact holds, and `–` means that the test is not run on that database.
                """);
        Map<String, List<Row>> classes = compatibility.rows()
            .stream()
            .collect(Collectors.groupingBy(Row::testClass, TreeMap::new, Collectors.toList()));
        classes.forEach(page::table);
        return page.text.toString();
    }

    private void columns() {
        line("| column | database | Hibernate | Jakarta Persistence | rows | red |");
        line("|---|---|---|---|---|---|");
        for (Run run : this.compatibility.runs()) {
            line(run.hasRun()
                    ? "| %s | %s | %s | %s | %d | %d |".formatted(run.column(), run.database(), run.hibernate(),
                            run.persistence(), run.outcomes().size(), red(run))
                    : "| %s | not run | | | 0 | 0 |".formatted(run.column()));
        }
        line("");
    }

    private static long red(Run run) {
        return run.outcomes().values().stream().filter((outcome) -> outcome != Outcome.PASSED).count();
    }

    private void table(String testClass, List<Row> rows) {
        line("").line("## " + Row.title(testClass)).line("");
        line("[%s](%s%s.java)".formatted(testClass, SOURCES, testClass.replaceFirst("\\$.*", ""))).line("");
        List<Run> runs = this.compatibility.runs();
        line("| | " + runs.stream().map(Run::column).collect(Collectors.joining(" | ")) + " |");
        line("|---|" + ":-:|".repeat(runs.size()));
        Set<String> reasons = new LinkedHashSet<>();
        for (Row row : rows) {
            line("| " + row.words() + " | "
                    + runs.stream().map((run) -> cell(run, row, reasons)).collect(Collectors.joining(" | ")) + " |");
        }
        int number = 0;
        for (String reason : reasons) {
            number++;
            line("").line("(%d) %s".formatted(number, reason));
        }
    }

    private String cell(Run run, Row row, Set<String> reasons) {
        Outcome outcome = run.outcomes().get(row);
        if (outcome != null) {
            return (outcome == Outcome.PASSED) ? "✓" : "**" + outcome + "**";
        }
        return this.compatibility.reason(run, row).map((reason) -> {
            reasons.add(reason);
            return "(" + (List.copyOf(reasons).indexOf(reason) + 1) + ")";
        }).orElse("–");
    }

    private CompatibilityPage line(String line) {
        this.text.append(line).append('\n');
        return this;
    }

}
