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
     * part, {@code jmh}, {@code default}, {@code json}, {@code persist}, {@code save} or
     * {@code start}
     */
    public static void main(String[] arguments) throws Exception {
        LogManager.getLogManager().getLogger("").setLevel(Level.SEVERE);
        Scale scale = Scale.named(arguments[0]);
        boolean whole = arguments.length == 1;
        List<String> parts = whole ? scale.parts() : List.of(arguments).subList(1, arguments.length);
        Path parent = Path.of((scale.meant() && whole) ? "results" : "target/results");
        String what = (scale == Scale.FULL && whole) ? "" : "-" + String.join("-", arguments);
        Path folder = Files.createDirectories(parent.resolve("%s-%s-jdk%s%s".formatted(LocalDate.now(),
                Machine.cpu().replaceAll("[^A-Za-z0-9]+", "-"), Runtime.version().feature(), what)));
        Head head = Head.of(scale, String.join(" ", arguments));

        Measurements measured = new Measurements();
        Progress progress = new Progress();
        for (String part : parts) {
            int before = measured.names().size();
            measure(part, scale, measured, progress, folder);
            if (measured.names().size() == before && !part.equals("jmh")) {
                throw new IllegalStateException("a part must measure something: part=" + part);
            }
        }

        Path report = folder.resolveSibling(folder.getFileName() + ".md");
        new Report(measured, scale, head.markdown(), progress.parts(), parts.contains("jmh")).write(report, folder);
        progress.line("Report: " + report.toAbsolutePath());
    }

    private static void measure(String part, Scale scale, Measurements measured, Progress progress, Path folder)
            throws Exception {
        switch (part) {
            case "jmh" -> {
                JmhRounds jmh = new JmhRounds(scale, measured, progress);
                jmh(scale, jmh, new DefaultRounds(scale, measured), progress);
                jmh.write(folder.resolve("jmh.json.gz"));
            }
            case "default" -> new DefaultRounds(scale, measured).run();
            case "json" -> new JmhRounds(scale, measured, progress).run("json", JmhPlan.json(), scale.rounds());
            case "persist" -> {
                try (PersistRounds persist = new PersistRounds(scale, measured, progress)) {
                    for (Database database : scale.databases()) {
                        persist.run(database);
                    }
                }
            }
            case "save" -> {
                try (PersistRounds persist = new PersistRounds(scale, measured, progress)) {
                    persist.save(Database.H2);
                    persist.save(Database.POSTGRESQL);
                }
            }
            case "start" -> start(scale, measured, progress);
            default -> throw new IllegalArgumentException("there is no such part: part=" + part);
        }
    }

    private static void start(Scale scale, Measurements measured, Progress progress) throws Exception {
        new StartRounds(scale, measured).run();
        progress.done("start of session factories");
        new AcquireRounds(scale, measured).run();
        progress.done("leasing a worker id");
        new MemoryRounds(measured).run();
        // the last: a second TimeSource makes all engines slower
        new FleetRounds(scale, measured).run();
        progress.done("memory, and a fleet");
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

}
