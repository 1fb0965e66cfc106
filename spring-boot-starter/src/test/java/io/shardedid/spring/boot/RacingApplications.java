package io.shardedid.spring.boot;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What applications did that ran in processes of their own, and made ids at the same
 * time.
 *
 * @param first the first line of each: READY, or REFUSED and the reason
 * @param ids how many ids they made together
 * @param equal how many of them another one is equal to
 */
record RacingApplications(List<String> first, int ids, int equal) {

    static final String READY = "READY";

    static final String REFUSED = "REFUSED ";

    private static final int SHARDS = 4;

    /** So long that each of them makes ids while the others do. */
    private static final int SECONDS = 4;

    /**
     * One process: starts the application, makes ids when a line comes in, and prints
     * them. Arguments: the class of its configuration, and properties.
     */
    public static void main(String[] args) throws Exception {
        ProcessHandle.current()
            .parent()
            .orElseThrow()
            .onExit()
            .orTimeout(10, TimeUnit.MINUTES)
            .whenComplete((parent, failure) -> Runtime.getRuntime().halt(1));
        String[] common = { "--spring.main.banner-mode=off", "--logging.level.root=off", "--shardedid.shards=" + SHARDS,
                "--shardedid.clock.max-wait=30s" };
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Class.forName(args[0]))
            .web(WebApplicationType.NONE)
            .logStartupInfo(false)
            .run(Stream.concat(Stream.of(args).skip(1), Stream.of(common)).toArray(String[]::new))) {
            ShardedIds ids = context.getBean(ShardedIds.class);
            ids.next(0);
            System.out.println(READY);
            System.in.read();
            StringBuilder made = new StringBuilder();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            for (int i = 0; System.nanoTime() < end; i++) {
                made.append(ids.next(i % SHARDS)).append('\n');
            }
            System.out.print(made);
        }
        catch (Exception ex) {
            Throwable root = ex;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            System.out.println((root instanceof ShardedIdConfigurationException) ? REFUSED + root.getMessage() : root);
        }
    }

    /**
     * Starts an application once for each list of properties, and lets those that are
     * ready make ids together.
     */
    @SafeVarargs
    static RacingApplications race(Class<?> configuration, List<String>... properties) throws IOException {
        List<Process> processes = new ArrayList<>();
        try {
            for (List<String> each : properties) {
                List<String> command = new ArrayList<>(
                        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                                RacingApplications.class.getName(), configuration.getName()));
                command.addAll(each);
                processes.add(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
            }
            RacingApplications race = race(processes);
            System.out.printf("%s: %s, ids=%,d, equal=%,d%n", configuration.getSimpleName(), race.first, race.ids,
                    race.equal);
            return race;
        }
        finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static RacingApplications race(List<Process> processes) throws IOException {
        List<BufferedReader> outputs = processes.stream()
            .map((process) -> process.inputReader(StandardCharsets.UTF_8))
            .toList();
        List<String> first = new ArrayList<>();
        for (BufferedReader output : outputs) {
            first.add(output.readLine());
        }
        for (int i = 0; i < processes.size(); i++) {
            if (READY.equals(first.get(i))) {
                processes.get(i).outputWriter().append('\n').flush();
            }
        }
        List<Long> all = new ArrayList<>();
        for (BufferedReader output : outputs) {
            output.lines().map(Long::valueOf).forEach(all::add);
        }
        return new RacingApplications(first, all.size(), all.size() - (int) all.stream().distinct().count());
    }

}
