package io.shardedid.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogManager;

/**
 * Measures and writes a report.
 */
public final class Measure {

    private Measure() {
    }

    /**
     * Measures.
     * @param arguments {@code full}, {@code next} or {@code smoke}; and, to measure a
     * part, {@code jmh}, {@code persist} or {@code growth}
     */
    public static void main(String[] arguments) throws Exception {
        LogManager.getLogManager().getLogger("").setLevel(Level.SEVERE);
        Scale scale = Scale.named(arguments[0]);
        List<String> parts = (arguments.length > 1) ? List.of(arguments).subList(1, arguments.length)
                : List.of("jmh", "persist", "growth");
        Path parent = Path.of((scale.meant() && arguments.length == 1) ? "results" : "target/results");
        String name = "%s-%s-jdk%d%s".formatted(LocalDate.now(), Machine.cpu().replaceAll("[^A-Za-z0-9]+", "-"),
                Runtime.version().feature(), (scale == Scale.NEXT) ? "-next" : "");
        Path folder = Files.createDirectories(parent.resolve(name));
        String head = head(scale);

        Measurements measured = new Measurements();
        Progress progress = new Progress();
        JmhRounds jmh = new JmhRounds(scale, measured, progress);
        if (parts.contains("jmh")) {
            jmh(scale, jmh, new DefaultRounds(scale, measured), progress);
        }
        if (scale != Scale.NEXT && parts.contains("persist")) {
            try (PersistRounds persist = new PersistRounds(scale, measured, progress)) {
                for (Database database : scale.databases()) {
                    persist.run(database);
                }
            }
        }
        if (scale != Scale.NEXT && parts.contains("growth")) {
            new StartRounds(scale, measured).run();
            progress.done("start of session factories");
            new AcquireRounds(scale, measured).run();
            progress.done("leasing a worker id");
            new MemoryRounds(measured).run();
            // the last: a second TimeSource makes all engines slower
            new FleetRounds(scale, measured).run();
            progress.done("memory, and a fleet");
        }

        Path report = parent.resolve(name + ".md");
        jmh.write(folder.resolve("jmh.json.gz"));
        new Report(measured, scale, head, progress.parts()).write(report, folder);
        progress.line("Report: " + report.toAbsolutePath());
    }

    private static void jmh(Scale scale, JmhRounds jmh, DefaultRounds defaults, Progress progress) throws Exception {
        jmh.run("next", JmhPlan.next(), scale.rounds());
        if (scale == Scale.NEXT) {
            jmh.run("virtual threads", JmhPlan.virtualThreads(), 1);
            return;
        }
        jmh.run("generate", JmhPlan.generate(), scale.rounds());
        jmh.run("all the rest of JMH", JmhPlan.others(scale.meant()), 1);
        defaults.run();
        progress.done("default layouts");
    }

    private static String head(Scale scale) throws Exception {
        return """
                # Measured on %s

                | | |
                |---|---|
                | CPU | %s, %d processors |
                | JDK | %s |
                | system | %s, load before the run %s |
                | commit | %s |
                | command | `mvn -Pproof -pl proof/benchmarks -am verify -DskipTests -Dbenchmarks=%s` |
                | JMH | %d rounds, each in JVMs of its own; %d × %s to warm up, %d measured; what no figure needs: 1 round |
                | layout of `next` | 29 time, 13 shard, 1 worker, 20 sequence: its ceiling is far |
                | layout of rows | the standard one where nothing else is said |
                | rows | batches of 50, transactions of 1,000; PostgreSQL and MariaDB do not wait for the disk |
                """
            .formatted(LocalDate.now(), Machine.cpu(), Runtime.getRuntime().availableProcessors(), Machine.jdk(),
                    Machine.system(), Machine.load(), Machine.commit(), scale.externalName(), scale.rounds(),
                    scale.warmUpIterations(), scale.iteration(), scale.measuredIterations());
    }

}
