package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What was measured: a series for each name, with one value for each round. Not safe for
 * use by many threads.
 */
final class Measurements {

    private final Map<String, List<Double>> series = new LinkedHashMap<>();

    void add(String name, double value) {
        this.series.computeIfAbsent(name, (ignored) -> new ArrayList<>()).add(value);
    }

    Series series(String name) {
        return new Series(this.series.getOrDefault(name, List.of()));
    }

    boolean has(String name) {
        return this.series.containsKey(name);
    }

    double last(String name) {
        List<Double> values = this.series.get(name);
        return values.get(values.size() - 1);
    }

    List<String> names() {
        return List.copyOf(this.series.keySet());
    }

    /** Finds the series with the lowest median. */
    Series fastest(Predicate<String> of) {
        return names().stream()
            .filter(of)
            .map(this::series)
            .min((one, other) -> Double.compare(one.median(), other.median()))
            .orElse(new Series(List.of()));
    }

}
