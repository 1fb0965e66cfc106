package io.shardedid.compatibility;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CompatibilityReportTest {

    private static final List<String> LINES = List.of("6.6", "7.0", "7.1", "7.2", "7.3", "7.4", "8.0");

    private static final String COLUMNS = LINES.stream()
        .map((line) -> "| %1$s | H2 2.4.240 | %1$s.9.Final | 3.2.0 |\n".formatted(line))
        .collect(Collectors.joining()) + "| PostgreSQL | PostgreSQL 18.6.0 | 7.4.5.Final | 3.2.0 |\n";

    @TempDir
    Path project;

    @BeforeEach
    void runEverything() throws IOException {
        for (String line : LINES) {
            write(line, "<testcase classname='CLASS' name='insertsByHQL'/>",
                    "<testcase classname='CLASS' name='mergesANewEntity'/>");
        }
        write("6.6", "<testcase classname='CLASS' name='insertsByHQL'/>");
        Reports.write(this.project.resolve("generator/target/failsafe-reports-postgresql"),
                "io.shardedid.hibernate.OperationsTest", "7.4.5.Final",
                "<testcase classname='CLASS' name='insertsByHQL'/>");
        Files.createDirectories(this.project.resolve("docs"));
        Files.writeString(this.project.resolve("docs/reliability.md"), COLUMNS);
        Files.writeString(this.project.resolve("integration-tests/hibernate-lines/exclusions.txt"),
                "6.6 | OperationsTest.mergesANewEntity | 6.6 cannot merge\n");
    }

    @Test
    void writesWhatEachTestShowed() throws IOException {
        report();
        assertThat(Files.readString(this.project.resolve("page.md"))).isEqualTo("""
                # Compatibility

                | column | database | Hibernate | Jakarta Persistence |
                |---|---|---|---|
                %s
                ## Operations

                [OperationsTest](../generator/src/test/java/io/shardedid/hibernate/OperationsTest.java)

                | | 6.6 | 7.0 | 7.1 | 7.2 | 7.3 | 7.4 | 8.0 | PostgreSQL | MariaDB | MySQL |
                |---|:-:|:-:|:-:|:-:|:-:|:-:|:-:|:-:|:-:|:-:|
                | inserts by HQL | ✓ | ✓ | ✓ | ✓ | ✓ | ✓ | ✓ | ✓ | – | – |
                | merges a new entity | (1) | ✓ | ✓ | ✓ | ✓ | ✓ | ✓ | – | – | – |

                (1) 6.6 cannot merge
                """.formatted(COLUMNS));
    }

    @Test
    void failsWhenThePageNamesAnotherVersion() throws IOException {
        Files.writeString(this.project.resolve("docs/reliability.md"), COLUMNS.replace("7.2.9", "7.2.8"));
        assertThatIllegalStateException().isThrownBy(this::report)
            .withMessage("docs/reliability.md must have the line '| 7.2 | H2 2.4.240 | 7.2.9.Final | 3.2.0 |' (the "
                    + "tests ran on it); replace the line that it has instead");
    }

    @Test
    void failsOnARedReport() {
        write("7.2", "<testcase classname='CLASS' name='insertsByHQL'><error/></testcase>",
                "<testcase classname='CLASS' name='mergesANewEntity'/>");
        assertThatIllegalStateException().isThrownBy(this::report)
            .withMessage(
                    "Could not vouch for compatibility: faults=1 (none allowed); repair, or name reasons in "
                            + "integration-tests/hibernate-lines/exclusions.txt%n  RED on 7.2: OperationsTest.insertsByHQL",
                    new Object[0]);
        assertThat(this.project.resolve("page.md")).content().contains("| **RED** |");
    }

    private void write(String line, String... cases) {
        String module = line.equals("7.4") ? "generator" : "integration-tests/hibernate-lines/" + line;
        Reports.write(this.project.resolve(module + "/target/surefire-reports"),
                "io.shardedid.hibernate.OperationsTest", line + ".9.Final", cases);
    }

    private void report() throws IOException {
        CompatibilityReport.main(this.project.toString(), this.project.resolve("page.md").toString());
    }

}
