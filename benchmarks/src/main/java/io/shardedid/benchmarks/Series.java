package io.shardedid.benchmarks;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;

/**
 * Values of one quantity, one for each round.
 */
record Series(List<Double> values) {

    boolean isEmpty() {
        return this.values.isEmpty();
    }

    double median() {
        List<Double> sorted = this.values.stream().sorted().toList();
        int half = sorted.size() / 2;
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        return (sorted.size() % 2 == 1) ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    double min() {
        return this.values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }

    double max() {
        return this.values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }

    /** The ratio in each round: what slows a whole round down drops out. */
    Series over(Series other) {
        return paired(other, (mine, others) -> mine / others);
    }

    Series minus(Series other) {
        return paired(other, (mine, others) -> mine - others);
    }

    private Series paired(Series other, DoubleBinaryOperator operator) {
        return new Series(IntStream.range(0, Math.min(this.values.size(), other.values.size()))
            .mapToObj((round) -> operator.applyAsDouble(this.values.get(round), other.values.get(round)))
            .toList());
    }

    String medianText() {
        return isEmpty() ? "" : Text.number(median());
    }

    String spreadText() {
        return isEmpty() ? "" : Text.number(min()) + " to " + Text.number(max());
    }

}
