package io.shardedid.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Some JMH benchmarks that run with the same number of threads.
 *
 * @param benchmark a pattern of their names
 * @param threads the number of threads
 * @param params the values of parameters that are not to take all
 */
record JmhJob(String benchmark, int threads, Map<String, String[]> params) {

    JmhJob(String benchmark, int threads) {
        this(benchmark, threads, Map.of());
    }

    JmhJob with(String param, Object... values) {
        Map<String, String[]> all = new LinkedHashMap<>(this.params);
        all.put(param, Arrays.stream(values).map(Object::toString).toArray(String[]::new));
        return new JmhJob(this.benchmark, this.threads, all);
    }

}
