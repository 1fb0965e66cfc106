package io.shardedid.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;

/**
 * Measures everything, or a pattern of JMH benchmarks, and writes a report.
 */
public final class Measure {

    private Measure() {
    }

    /**
     * Measures.
     * @param arguments {@code smoke} or {@code full}, and a pattern that leaves out all
     * but those JMH benchmarks
     */
    public static void main(String[] arguments) throws Exception {
        Scale scale = switch (arguments[0]) {
            case "full" -> Scale.FULL;
            case "smoke" -> Scale.SMOKE;
            default ->
                throw new IllegalArgumentException("benchmarks must be 'smoke' or 'full': benchmarks=" + arguments[0]);
        };
        boolean some = arguments.length > 1;
        String name = LocalDate.now() + "-" + Machine.cpu().replaceAll("[^A-Za-z0-9]+", "-") + "-jdk"
                + Runtime.version().feature();
        Path parent = Path.of((scale.full() && !some) ? "results" : "target/results");
        Path folder = Files.createDirectories(parent.resolve(name));
        String head = head(scale);

        Measurements measured = new Measurements();
        new JmhRounds(scale, folder, measured).run(some ? arguments[1] : "io\\.shardedid\\.benchmarks\\.");
        if (!some) {
            PersistRounds persist = new PersistRounds(scale, measured);
            for (Database database : scale.databases()) {
                persist.run(database);
            }
        }
        Path report = parent.resolve(name + ".md");
        new Report(measured, scale, head).write(report, folder.resolve("all.json"));
        System.out.println("Report: " + report.toAbsolutePath());
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
                | command | `mvn -Pproof -pl benchmarks -am verify -DskipTests -Dbenchmarks=%s` |
                | rounds | %d, each in JVMs of its own; %d × %s to warm up, %d measured |
                | layout | 29 time, 13 shard, 1 worker, 20 sequence; for rows the standard one |
                """.formatted(LocalDate.now(), Machine.cpu(), Runtime.getRuntime().availableProcessors(), Machine.jdk(),
                Machine.system(), Machine.load(), Machine.commit(), scale.full() ? "full" : "smoke", scale.rounds(),
                scale.iterations(), scale.iteration(), 2 * scale.iterations());
    }

}
