package io.shardedid.compatibility;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * All results on one page: columns with their versions, then a table for each test class.
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
        page.line("# Compatibility").line("");
        page.columns();
        Map<String, List<Row>> classes = compatibility.rows()
            .stream()
            .collect(Collectors.groupingBy(Row::testClass, TreeMap::new, Collectors.toList()));
        classes.forEach(page::table);
        return page.text.toString();
    }

    /** What the runs ran on, a line for each run that there was. */
    static List<String> columns(Compatibility compatibility) {
        return compatibility.runs()
            .stream()
            .filter(Run::hasRun)
            .map((run) -> "| %s | %s | %s | %s |".formatted(run.column(), run.database(), run.hibernate(),
                    run.persistence()))
            .toList();
    }

    private void columns() {
        line("| column | database | Hibernate | Jakarta Persistence |");
        line("|---|---|---|---|");
        columns(this.compatibility).forEach(this::line);
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
            line("").line("(%s) %s".formatted(number, reason));
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
