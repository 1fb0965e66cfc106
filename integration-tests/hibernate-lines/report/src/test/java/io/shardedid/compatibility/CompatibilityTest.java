package io.shardedid.compatibility;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import static io.shardedid.compatibility.Reports.MERGES;
import static io.shardedid.compatibility.Reports.PERSISTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CompatibilityTest {

    private static final Map<Row, Outcome> BOTH = Map.of(MERGES, Outcome.PASSED, PERSISTS, Outcome.PASSED);

    private static final Map<Row, Outcome> ONE = Map.of(PERSISTS, Outcome.PASSED);

    @Test
    void findsNoFaultWhereAllHolds() {
        assertThat(of(List.of(), Reports.line("6.6", BOTH), Reports.line("7.0", BOTH)).faults()).isEmpty();
    }

    @Test
    void findsARedCell() {
        assertThat(of(List.of(), Reports.line("6.6", BOTH),
                Reports.line("7.0", Map.of(MERGES, Outcome.RED, PERSISTS, Outcome.PASSED)))
            .faults()).containsExactly("RED on 7.0: OperationsTest.mergesANewEntity");
    }

    @Test
    void findsARedCellOfADatabase() {
        Run postgres = new Run("PostgreSQL", new TreeSet<>(), new TreeMap<>(Map.of(MERGES, Outcome.RED)));
        assertThat(of(List.of(), Reports.line("6.6", BOTH), postgres).faults())
            .containsExactly("RED on PostgreSQL: OperationsTest.mergesANewEntity");
    }

    @Test
    void findsASkippedCell() {
        assertThat(of(List.of(), Reports.line("6.6", Map.of(MERGES, Outcome.SKIPPED))).faults())
            .containsExactly("SKIPPED on 6.6: OperationsTest.mergesANewEntity");
    }

    @Test
    void findsARowThatALineLeftOut() {
        assertThat(of(List.of(), Reports.line("6.6", ONE), Reports.line("7.0", BOTH)).faults())
            .containsExactly("NOT RUN on 6.6: OperationsTest.mergesANewEntity");
    }

    @Test
    void findsALineThatDidNotRun() {
        assertThat(of(List.of(), Reports.line("6.6", BOTH), new Run("7.0", new TreeSet<>(), new TreeMap<>())).faults())
            .containsExactly("NOT RUN: 7.0");
    }

    @Test
    void lacksNothingWithoutADatabase() {
        assertThat(
                of(List.of(), Reports.line("6.6", BOTH), new Run("MariaDB", new TreeSet<>(), new TreeMap<>())).faults())
            .isEmpty();
    }

    @Test
    void takesAReasonForAMethodOrAClass() {
        Run without = Reports.line("6.6", Map.of(new Row("OtherTest", "runs"), Outcome.PASSED));
        Run with = Reports.line("7.0", Map.of(MERGES, Outcome.PASSED, new Row("OtherTest", "runs"), Outcome.PASSED));
        assertThat(of(List.of("6.6 | OperationsTest | no merge"), without, with).faults()).isEmpty();
        assertThat(of(List.of("6.6 | OperationsTest.mergesANewEntity | no merge"), without, with).faults()).isEmpty();
        assertThat(of(List.of("7.0 | OperationsTest | no merge"), without, with).faults()).containsExactly(
                "NOT RUN on 6.6: OperationsTest.mergesANewEntity", "EXCLUDED for nothing: 7.0 | OperationsTest");
    }

    @Test
    void findsAReasonForWhatIsNoLongerThere() {
        assertThat(of(List.of("# a comment", "", "6.6 | GoneTest | why"), Reports.line("6.6", BOTH)).faults())
            .containsExactly("EXCLUDED for nothing: 6.6 | GoneTest");
    }

    @Test
    void refusesAnExclusionWithoutAReason() {
        assertThatIllegalStateException().isThrownBy(() -> new Exclusions(List.of("6.6 | OperationsTest | ")))
            .withMessage("Could not read exclusion: line='6.6 | OperationsTest | ' (line | test | reason); "
                    + "name the reason");
    }

    @Test
    void findsALineThatRanOnAnotherHibernate() {
        Run other = new Run("7.0", new TreeSet<>(Reports.jars("7.4.5.Final")), new TreeMap<>(BOTH));
        assertThat(of(List.of(), other).faults()).containsExactly("NOT HIBERNATE 7.0: hibernate-core=7.4.5.Final");
    }

    @Test
    void tellsWhichBuildRunsTheLineOfTheBuild() {
        assertThat(of(List.of(), new Run("7.4", new TreeSet<>(), new TreeMap<>())).faults())
            .containsExactly("NOT RUN: 7.4; 'mvn verify' without '-Pproof' runs it");
    }

    @Test
    void takesTheBuildWithoutTheJar() {
        Run classes = new Run("7.4", new TreeSet<>(List.of("classes", "hibernate-core-7.4.1.Final.jar")),
                new TreeMap<>(BOTH));
        assertThat(of(List.of(), classes).faults()).isEmpty();
    }

    @Test
    void findsALineThatRanWithoutTheJar() {
        Run classes = new Run("7.0", new TreeSet<>(List.of("classes", "hibernate-core-7.0.1.Final.jar")),
                new TreeMap<>(BOTH));
        assertThat(of(List.of(), classes).faults()).containsExactly("NOT THE JAR of the generator on 7.0");
    }

    private static Compatibility of(List<String> exclusions, Run... runs) {
        return new Compatibility(List.of(runs), new Exclusions(exclusions));
    }

}
