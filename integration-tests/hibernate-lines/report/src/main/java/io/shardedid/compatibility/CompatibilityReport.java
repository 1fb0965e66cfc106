package io.shardedid.compatibility;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the reports of all runs, writes what each test showed on each of them, and fails
 * on what must not be. The versions on {@code docs/reliability.md#what-was-run} must be those of the runs.
 */
public final class CompatibilityReport {

    private static final List<String> LINES = List.of("6.6", "7.0", "7.1", "7.2", "7.3", "7.4", "8.0");

    private CompatibilityReport() {
    }

    /**
     * Reports.
     * @param arguments the project's folder and the file to write
     * @throws IOException a file cannot be read or written
     * @throws IllegalStateException something is red, was not run, or the page names
     * other versions
     */
    public static void main(String... arguments) throws IOException {
        Path project = Path.of(arguments[0]);
        Compatibility compatibility = new Compatibility(runs(project),
                Exclusions.of(project.resolve("integration-tests/hibernate-lines/exclusions.txt")));
        Files.writeString(Path.of(arguments[1]), CompatibilityPage.of(compatibility));
        List<String> faults = compatibility.faults();
        if (!faults.isEmpty()) {
            throw new IllegalStateException(
                    ("Could not vouch for compatibility: faults=%s (none allowed); repair, or name reasons in "
                            + "integration-tests/hibernate-lines/exclusions.txt%n  %s")
                        .formatted(faults.size(), String.join("%n  ".formatted(), faults)));
        }
        List<String> published = Files.readAllLines(project.resolve("docs/reliability.md"));
        for (String column : CompatibilityPage.columns(compatibility)) {
            if (!published.contains(column)) {
                throw new IllegalStateException(
                        "docs/reliability.md must have the line '%s' (the tests ran on it); replace the line that it has instead"
                            .formatted(column));
            }
        }
    }

    private static List<Run> runs(Path project) {
        List<Run> runs = new ArrayList<>();
        for (String line : LINES) {
            String module = line.equals(Run.BUILD) ? "generator" : "integration-tests/hibernate-lines/" + line;
            runs.add(TestReports.read(line, project.resolve(module + "/target/surefire-reports")));
        }
        runs.add(TestReports.read("PostgreSQL", project.resolve("generator/target/failsafe-reports-postgresql")));
        runs.add(TestReports.read("MariaDB", project.resolve("generator/target/failsafe-reports-mariadb")));
        runs.add(TestReports.read("MySQL", project.resolve("generator/target/failsafe-reports-mysql")));
        return runs;
    }

}
