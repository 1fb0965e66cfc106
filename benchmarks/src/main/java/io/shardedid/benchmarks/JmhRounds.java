package io.shardedid.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.zip.GZIPOutputStream;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * The JMH benchmarks in rounds: each round runs all of its jobs once, each benchmark in a
 * JVM of its own, so that a ratio compares neighbours in time.
 */
final class JmhRounds {

    static final int CALLS_IN_SAMPLE = 1000;

    private static final List<String> PERCENTILES = List.of("50", "99", "99.99");

    private final Scale scale;

    private final Measurements measured;

    private final Progress progress;

    private final List<RunResult> results = new ArrayList<>();

    JmhRounds(Scale scale, Measurements measured, Progress progress) {
        this.scale = scale;
        this.measured = measured;
        this.progress = progress;
    }

    void run(String what, List<JmhJob> jobs, int rounds) throws RunnerException {
        for (int round = 1; round <= rounds; round++) {
            for (JmhJob job : jobs) {
                for (RunResult result : new Runner(options(job).build()).run()) {
                    this.results.add(result);
                    add(result);
                }
            }
            this.progress.done("%s, round %s of %s".formatted(what, round, rounds));
        }
    }

    /** Writes what JMH knows, in its own format. */
    void write(Path gzipped) throws IOException {
        try (PrintStream out = new PrintStream(new GZIPOutputStream(Files.newOutputStream(gzipped)))) {
            ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(this.results);
        }
    }

    private ChainedOptionsBuilder options(JmhJob job) {
        ChainedOptionsBuilder options = new OptionsBuilder().include("\\." + job.benchmark())
            .threads(job.threads())
            .forks(this.scale.forks())
            .warmupIterations(this.scale.warmUpIterations())
            .measurementIterations(this.scale.measuredIterations())
            .warmupTime(this.scale.iteration())
            .measurementTime(this.scale.iteration())
            .addProfiler(GCProfiler.class)
            .jvmArgs("-Xms512m", "-Xmx512m", "-XX:+UseParallelGC")
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
        job.params().forEach(options::param);
        return options;
    }

    private void add(RunResult result) {
        String name = name(result.getParams());
        boolean thousand = name.contains("thousandCalls");
        double ids = thousand ? CALLS_IN_SAMPLE : 1;
        if (result.getParams().getMode() == Mode.SampleTime) {
            Statistics samples = result.getPrimaryResult().getStatistics();
            this.measured.add(name, samples.getPercentile(50) / ids);
            for (String percentile : PERCENTILES) {
                this.measured.add(name + " p" + percentile,
                        samples.getPercentile(Double.parseDouble(percentile)) / ids);
            }
        }
        else {
            this.measured.add(name, result.getPrimaryResult().getScore());
        }
        result.getSecondaryResults().forEach((label, secondary) -> {
            if (label.endsWith("gc.alloc.rate.norm")) {
                this.measured.add(name + " B/op", secondary.getScore() / ids);
            }
        });
        this.progress.line(String.format(Locale.ROOT, "%-60s %10.2f", name, this.measured.last(name)));
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
