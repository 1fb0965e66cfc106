package io.shardedid.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * Tables as bars, a group for each row.
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
