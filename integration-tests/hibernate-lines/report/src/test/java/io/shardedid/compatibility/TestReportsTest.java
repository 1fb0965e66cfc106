package io.shardedid.compatibility;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TestReportsTest {

    @TempDir
    Path folder;

    @Test
    void readsWhatCameOfEachTest() {
        Reports.write(this.folder, "io.shardedid.hibernate.OperationsTest", "7.1.2.Final",
                "<testcase classname='CLASS' name='passes'/>",
                "<testcase classname='CLASS' name='fails'><failure message='m'/></testcase>",
                "<testcase classname='CLASS' name='breaks'><error message='m'/></testcase>",
                "<testcase classname='CLASS' name='skips'><skipped message='m'/></testcase>");
        assertThat(TestReports.read("7.1", this.folder).outcomes()).isEqualTo(Map.of(row("passes"), Outcome.PASSED,
                row("fails"), Outcome.RED, row("breaks"), Outcome.RED, row("skips"), Outcome.SKIPPED));
    }

    @Test
    void countsParametersAsOneRowAndTheWorstOfThem() {
        Reports.write(this.folder, "io.shardedid.hibernate.OperationsTest", "7.1.2.Final",
                "<testcase classname='CLASS' name='reads(String, int)[1]'/>",
                "<testcase classname='CLASS' name='reads(String, int)[2]'><failure/></testcase>",
                "<testcase classname='CLASS' name='reads(String, int)[3]'/>");
        assertThat(TestReports.read("7.1", this.folder).outcomes()).isEqualTo(Map.of(row("reads"), Outcome.RED));
    }

    @Test
    void countsAClassThatDoesNotStartAsRed() {
        Reports.write(this.folder, "io.shardedid.hibernate.OperationsTest", "7.1.2.Final",
                "<testcase classname='CLASS' name=''><error message='m'/></testcase>");
        assertThat(TestReports.read("7.1", this.folder).outcomes()).isEqualTo(Map.of(row(""), Outcome.RED));
    }

    @Test
    void leavesOutOtherPackages() {
        Reports.write(this.folder, "io.shardedid.EngineTest", "7.1.2.Final",
                "<testcase classname='CLASS' name='passes'/>");
        assertThat(TestReports.read("7.1", this.folder).hasRun()).isFalse();
    }

    @Test
    void readsVersionsFromTheClassPath() {
        Reports.write(this.folder, "io.shardedid.hibernate.OperationsTest", "7.1.2.Final",
                "<testcase classname='CLASS' name='passes'/>");
        Run line = TestReports.read("7.1", this.folder);
        assertThat(line.hibernate()).isEqualTo("7.1.2.Final");
        assertThat(line.persistence()).isEqualTo("3.2.0");
        assertThat(line.database()).isEqualTo("H2 2.4.240");
        assertThat(TestReports.read("PostgreSQL", this.folder).database()).isEqualTo("PostgreSQL 18.6.0");
        assertThat(TestReports.read("MariaDB", this.folder).database()).isEqualTo("MariaDB 11.4.5");
        assertThat(TestReports.read("MySQL", this.folder).database()).isEqualTo("MySQL with Connector/J 9.7.0");
    }

    @Test
    void hasNotRunWithoutAFolder() {
        assertThat(TestReports.read("7.1", this.folder.resolve("absent")).hasRun()).isFalse();
    }

    private static Row row(String method) {
        return new Row("OperationsTest", method);
    }

}
