package io.shardedid.benchmarks;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/**
 * Series in rows and columns; rows and columns of which nothing was measured are left
 * out.
 *
 * @param title what it tells
 * @param rows the names of the rows
 * @param columns the names of the columns
 * @param cells the series of each row, by column
 */
record Table(String title, List<String> rows, List<String> columns, List<List<Series>> cells) {

    static Table of(Measurements measured, String title, List<String> rows, List<String> columns,
            BinaryOperator<String> seriesName) {
        List<String> someColumns = columns.stream()
            .filter((column) -> rows.stream().anyMatch((row) -> measured.has(seriesName.apply(row, column))))
            .toList();
        List<String> someRows = rows.stream()
            .filter((row) -> columns.stream().anyMatch((column) -> measured.has(seriesName.apply(row, column))))
            .toList();
        return new Table(title, someRows, someColumns, someRows.stream()
            .map((row) -> someColumns.stream().map((column) -> measured.series(seriesName.apply(row, column))).toList())
            .toList());
    }

    boolean isEmpty() {
        return this.rows.isEmpty();
    }

    /** The rows of which everything was measured. */
    Table complete() {
        List<List<Series>> full = this.cells.stream().filter((row) -> row.stream().noneMatch(Series::isEmpty)).toList();
        return new Table(this.title, full.stream().map((row) -> this.rows.get(this.cells.indexOf(row))).toList(),
                this.columns, full);
    }

    List<Double> medians(int column) {
        return this.cells.stream().map((row) -> row.get(column).median()).toList();
    }

    DoubleSummaryStatistics range() {
        return this.cells.stream()
            .flatMap(List::stream)
            .filter((cell) -> !cell.isEmpty())
            .mapToDouble(Series::median)
            .summaryStatistics();
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append(line("", this.columns)).append(line("---", this.columns.stream().map((column) -> "---:").toList()));
        for (int row = 0; row < this.rows.size(); row++) {
            text.append(line(this.rows.get(row), this.cells.get(row).stream().map(Series::medianText).toList()));
        }
        return text.toString();
    }

    private static String line(String first, List<String> others) {
        return others.stream().collect(Collectors.joining(" | ", "| " + first + " | ", " |\n"));
    }

}
