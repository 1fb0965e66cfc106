package io.shardedid.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GrowthTablesTest {

    @Test
    void makesARowOfEachSizeThatWasMeasured() {
        Measurements measured = new Measurements();
        measured.add("rows STANDARD, WAL bytes a row, 1000000", 163);
        measured.add("rows STANDARD, WAL bytes a row, 10000000", 165);

        assertThat(GrowthTables.of(measured)).containsOnlyKeys("rows-wal");
        assertThat(GrowthTables.of(measured).get("rows-wal").markdown()).isEqualTo("""
                |  | STANDARD |
                | --- | ---: |
                | 1,000,000 | 163 |
                | 10,000,000 | 165 |
                """);
    }

    @Test
    void hasALineToDrawFromTwoSizesOn() {
        Measurements measured = new Measurements();
        measured.add("hour, later, dense, buffers for 1,000 rows, 500", 12);
        assertThat(GrowthTables.of(measured).get("hours-later").plottable()).isFalse();

        measured.add("hour, later, standard layout, buffers for 1,000 rows, 5000", 13);
        assertThat(GrowthTables.of(measured).get("hours-later").plottable()).isFalse();

        measured.add("hour, later, dense, buffers for 1,000 rows, 5000", 13);
        assertThat(GrowthTables.of(measured).get("hours-later").plottable()).isTrue();
    }

}
