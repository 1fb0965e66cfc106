package io.shardedid.compatibility;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the reports of all runs, fails on what must not be, and holds
 * {@code docs/compatibility.md} against the rest or writes it.
 */
public final class CompatibilityReport {

    private static final List<String> LINES = List.of("6.6", "7.0", "7.1", "7.2", "7.3", "7.4", "8.0");

    private static final String WRITE = "'mvn clean verify' and 'mvn verify -Pproof -Dcompatibility.write=true'";

    private CompatibilityReport() {
    }

    /**
     * Reports.
     * @param arguments the project's folder, the file to write, and whether to write
     * {@code docs/compatibility.md} too
     * @throws IOException a file cannot be read or written
     * @throws IllegalStateException something is red, was not run, or the page shows
     * something else
     */
    public static void main(String... arguments) throws IOException {
        Path project = Path.of(arguments[0]);
        Compatibility compatibility = new Compatibility(runs(project),
                Exclusions.of(project.resolve("proof/hibernate-lines/exclusions.txt")));
        String page = CompatibilityPage.of(compatibility);
        Files.writeString(Path.of(arguments[1]), page);
        List<String> faults = compatibility.faults();
        if (!faults.isEmpty()) {
            throw new IllegalStateException(
                    ("Could not vouch for compatibility: faults=%d (none allowed); repair, or name reasons in "
                            + "proof/hibernate-lines/exclusions.txt%n  %s")
                        .formatted(faults.size(), String.join("%n  ".formatted(), faults)));
        }
        Path published = project.resolve("docs/compatibility.md");
        if (Boolean.parseBoolean(arguments[2])) {
            Files.writeString(published, page);
        }
        else if (!Files.exists(published) || !Files.readString(published).equals(page)) {
            throw new IllegalStateException("docs/compatibility.md shows something else than this run: run="
                    + arguments[1] + "; write it by " + WRITE);
        }
    }

    private static List<Run> runs(Path project) {
        List<Run> runs = new ArrayList<>();
        for (String line : LINES) {
            String module = line.equals(Run.BUILD) ? "generator" : "proof/hibernate-lines/" + line;
            runs.add(TestReports.read(line, project.resolve(module + "/target/surefire-reports")));
        }
        runs.add(TestReports.read("PostgreSQL", project.resolve("generator/target/failsafe-reports-postgresql")));
        runs.add(TestReports.read("MariaDB", project.resolve("generator/target/failsafe-reports-mariadb")));
        return runs;
    }

}
