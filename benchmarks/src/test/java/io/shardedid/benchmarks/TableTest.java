package io.shardedid.benchmarks;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TableTest {

    private final Measurements measured = new Measurements();

    @Test
    void leavesOutWhatWasNotMeasured() {
        this.measured.add("KEYED at 1", 10.2);
        this.measured.add("KEYED at 2", 20.7);
        this.measured.add("TSID at 2", 1234.4);
        assertThat(table().markdown()).isEqualTo("""
                |  | 1 | 2 |
                | --- | ---: | ---: |
                | KEYED | 10.2 | 20.7 |
                | TSID |  | 1234 |
                """);
    }

    @Test
    void onlyCompleteRowsAreDrawn() {
        this.measured.add("KEYED at 1", 10);
        this.measured.add("KEYED at 2", 20);
        this.measured.add("TSID at 2", 30);
        Table complete = table().complete();
        assertThat(complete.rows()).containsExactly("KEYED");
        assertThat(complete.medians(1)).containsExactly(20.0);
    }

    private Table table() {
        return Table.of(this.measured, "title", List.of("KEYED", "UUID4", "TSID"), List.of("1", "2", "3"),
                "%s at %s"::formatted);
    }

}
