package io.shardedid.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ExplainedTest {

    private static final String PLAN = """
            [{"Plan": {"Node Type": "Limit", "Actual Rows": 1000.00, "Shared Hit Blocks": 7, "Shared Read Blocks": 5,
              "Plans": [{"Node Type": "Index Scan", "Actual Rows": 1200.00, "Shared Hit Blocks": 6,
                "Shared Read Blocks": 4}]},
              "Planning": {"Shared Hit Blocks": 90, "Shared Read Blocks": 1}}]""";

    @Test
    void tellsRowsAndPagesOfTheWholeQueryAndTheScanOfItsTable() {
        assertThat(Explained.of(PLAN)).isEqualTo(new Explained("Index Scan", 1000, 12));
    }

    @Test
    void refusesAPlanThatCountedNothing() {
        assertThatIllegalStateException().isThrownBy(() -> Explained.of("[{\"Plan\": {\"Actual Rows\": 1}}]"))
            .withMessageStartingWith("The plan has no 'Shared Hit Blocks'");
    }

}
