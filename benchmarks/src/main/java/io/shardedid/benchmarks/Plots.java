package io.shardedid.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * Tables as bars, a group for each row; or as lines, a column each.
 */
final class Plots {

    /** From here on a linear axis hides the small ones. */
    private static final double WIDE_RANGE = 20;

    private Plots() {
    }

    static void write(Table table, Path file) throws IOException {
        Table complete = table.complete();
        if (!complete.isEmpty()) {
            BitmapEncoder.saveBitmap(chart(complete), file.toString(), BitmapEncoder.BitmapFormat.PNG);
        }
    }

    /** Draws a line for each column, over rows that are sizes. */
    static void writeLines(Table table, Path file) throws IOException {
        if (!table.plottable()) {
            return;
        }
        XYChart chart = new XYChartBuilder().width(1100)
            .height(420)
            .title(table.title().replace("`", ""))
            .theme(Styler.ChartTheme.GGPlot2)
            .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setDecimalPattern("#,##0.##");
        DoubleSummaryStatistics range = table.range();
        if (range.getMin() > 0 && range.getMax() / range.getMin() > WIDE_RANGE) {
            chart.getStyler().setYAxisLogarithmic(true);
        }
        else {
            chart.getStyler().setYAxisMin(0.0);
        }
        for (int column = 0; column < table.columns().size(); column++) {
            List<Double> sizes = new ArrayList<>();
            List<Double> medians = new ArrayList<>();
            for (int row : table.measuredRows(column)) {
                sizes.add(Double.valueOf(table.rows().get(row).replace(",", "")));
                medians.add(table.cells().get(row).get(column).median());
            }
            if (!sizes.isEmpty()) {
                chart.addSeries(table.columns().get(column), sizes, medians);
            }
        }
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }

    private static CategoryChart chart(Table table) {
        CategoryChart chart = new CategoryChartBuilder().width(1100)
            .height(450)
            .title(table.title().replace("`", ""))
            .theme(Styler.ChartTheme.GGPlot2)
            .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        chart.getStyler().setXAxisLabelRotation(30);
        DoubleSummaryStatistics range = table.range();
        if (range.getMin() > 0 && range.getMax() / range.getMin() > WIDE_RANGE) {
            chart.getStyler().setYAxisLogarithmic(true);
            chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(range.getMin()))));
        }
        for (int column = 0; column < table.columns().size(); column++) {
            chart.addSeries(table.columns().get(column), table.rows(), table.medians(column));
        }
        return chart;
    }

}
