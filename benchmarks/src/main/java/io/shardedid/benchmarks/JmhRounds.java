package io.shardedid.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The JMH benchmarks in rounds: each round runs all of them once, each in a JVM of its
 * own, so that a ratio compares neighbours in time.
 */
final class JmhRounds {

    static final int CALLS_IN_SAMPLE = 1000;

    private final Scale scale;

    private final Path folder;

    private final Measurements measured;

    JmhRounds(Scale scale, Path folder, Measurements measured) {
        this.scale = scale;
        this.folder = folder;
        this.measured = measured;
    }

    void run(String include) throws RunnerException {
        for (int round = 1; round <= this.scale.rounds(); round++) {
            for (int threads : this.scale.threads()) {
                for (RunResult result : run(include, round, threads)) {
                    add(result);
                }
            }
        }
    }

    private Collection<RunResult> run(String include, int round, int threads) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder().include(include)
            .threads(threads)
            .forks(1)
            .warmupIterations(this.scale.iterations())
            .measurementIterations(2 * this.scale.iterations())
            .warmupTime(this.scale.iteration())
            .measurementTime(this.scale.iteration())
            .addProfiler(GCProfiler.class)
            .jvmArgs("-Xms512m", "-Xmx512m", "-XX:+UseParallelGC")
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .resultFormat(ResultFormatType.JSON)
            .result(this.folder.resolve("jmh-round-%d-threads-%d.json".formatted(round, threads)).toString());
        if (threads > 1) {
            // a sample hides what a thread waits for its turn on a CPU
            options.exclude("thousandCalls|GenerateBenchmark");
        }
        if (!this.scale.full()) {
            options.param("shards", "2000").param("draw", "UNIFORM");
        }
        return new Runner(options.build()).run();
    }

    private void add(RunResult result) {
        String name = name(result.getParams());
        double score = (result.getParams().getMode() == Mode.SampleTime)
                ? result.getPrimaryResult().getStatistics().getPercentile(50) / CALLS_IN_SAMPLE
                : result.getPrimaryResult().getScore();
        this.measured.add(name, score);
        result.getSecondaryResults().forEach((label, secondary) -> {
            if (label.endsWith("gc.alloc.rate.norm")) {
                this.measured.add(name + " B/op", secondary.getScore());
            }
        });
        System.out.printf("%-60s %10.2f%n", name, score);
    }

    private static String name(BenchmarkParams params) {
        String path = params.getBenchmark();
        String type = path.substring(0, path.lastIndexOf('.'));
        StringJoiner name = new StringJoiner(" ");
        name.add(path.substring(type.lastIndexOf('.') + 1));
        List<String> keys = new ArrayList<>(params.getParamsKeys());
        keys.sort(null);
        keys.forEach((key) -> name.add(params.getParam(key)));
        return name.add("t" + params.getThreads()).toString();
    }

}
