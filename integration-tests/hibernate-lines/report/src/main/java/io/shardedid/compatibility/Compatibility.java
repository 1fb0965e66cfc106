package io.shardedid.compatibility;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * All runs side by side, and what is wrong with them.
 *
 * @param runs one for each column
 * @param exclusions why a column may lack a row
 */
record Compatibility(List<Run> runs, Exclusions exclusions) {

    /** Every row that any run has. */
    SortedSet<Row> rows() {
        SortedSet<Row> rows = new TreeSet<>();
        this.runs.forEach((run) -> rows.addAll(run.outcomes().keySet()));
        return rows;
    }

    Optional<String> reason(Run run, Row row) {
        return this.exclusions.reason(run.column(), row);
    }

    /**
     * What must not be: red and skipped cells, rows that a line did not run without a
     * reason, lines that did not run, or not as named.
     */
    List<String> faults() {
        List<String> faults = new ArrayList<>();
        for (Run run : this.runs) {
            run.outcomes().forEach((row, outcome) -> {
                if (outcome != Outcome.PASSED) {
                    faults.add("%s on %s: %s".formatted(outcome, run.column(), row));
                }
            });
            if (run.isLine()) {
                faults.addAll(faultsOfLine(run));
            }
        }
        this.exclusions.stale(this.runs).forEach((stale) -> faults.add("EXCLUDED for nothing: " + stale));
        return faults;
    }

    private List<String> faultsOfLine(Run run) {
        if (!run.hasRun()) {
            return List
                .of("NOT RUN: " + run.column() + (run.isBuild() ? "; 'mvn verify' without '-Pproof' runs it" : ""));
        }
        List<String> faults = new ArrayList<>();
        if (!run.hibernate().startsWith(run.column() + ".") || run.hibernate().contains(" ")) {
            faults.add("NOT HIBERNATE %s: hibernate-core=%s".formatted(run.column(), run.hibernate()));
        }
        if (!run.usesJar() && !run.isBuild()) {
            faults.add("NOT THE JAR of the generator on " + run.column());
        }
        for (Row row : rows()) {
            if (!run.outcomes().containsKey(row) && reason(run, row).isEmpty()) {
                faults.add("NOT RUN on %s: %s".formatted(run.column(), row));
            }
        }
        return faults;
    }

}
