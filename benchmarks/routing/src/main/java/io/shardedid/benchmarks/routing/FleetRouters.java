package io.shardedid.benchmarks.routing;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;

/**
 * The routers of one JVM, and what they do when a line of the input says so.
 */
final class FleetRouters {

    private static final int SIDE_BY_SIDE = 2;

    private final List<FleetRouter> routers = new ArrayList<>();

    private final AtomicLong reads = new AtomicLong();

    private final AtomicLong failures = new AtomicLong();

    /**
     * Opens routers and does what the input says.
     * @param arguments the size of the fleet, a file of properties, the number of the
     * first router, and the number behind the last one
     */
    public static void main(String[] arguments) throws Exception {
        FleetJvm.endWithParent();
        FleetJvm.log(Level.WARN);
        FleetSize size = FleetSize.of(arguments[0]);
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(arguments[1]))) {
            properties.load(reader);
        }
        try {
            new FleetRouters().run(size, properties, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        }
        catch (Exception ex) {
            ex.printStackTrace();
        }
        // threads of routers may still run
        System.exit(0);
    }

    private void run(FleetSize size, Properties properties, int from, int to) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        ScheduledExecutorService readers = Executors.newScheduledThreadPool(SIDE_BY_SIDE);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "start" -> FleetJvm.answer(start(size, properties, from, to));
                case "touch" -> {
                    int databases = Integer.parseInt(words[1]);
                    int every = Integer.parseInt(words[2]);
                    all(IntStream.range(0, this.routers.size())
                        .filter((i) -> (from + i) % every == 0)
                        .mapToObj(this.routers::get)
                        .toList(), (router) -> router.touch(databases));
                    FleetJvm.answer("touched");
                }
                case "forget" -> {
                    all(this.routers, FleetRouter::forgetConnections);
                    FleetJvm.answer("forgotten");
                }
                case "read" -> {
                    this.routers.forEach((router) -> readers.scheduleAtFixedRate(() -> read(router),
                            (long) (Math.random() * 1000), 1000, TimeUnit.MILLISECONDS));
                    FleetJvm.answer("reading");
                }
                case "stop" -> {
                    readers.shutdown();
                    readers.awaitTermination(1, TimeUnit.MINUTES);
                    FleetJvm.answer(this.reads + " " + this.failures);
                }
                case "close" -> {
                    all(this.routers, FleetRouter::close);
                    FleetJvm.answer("closed");
                }
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    /** Returns how long each start took, in milliseconds. */
    private String start(FleetSize size, Properties properties, int from, int to) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(SIDE_BY_SIDE);
        List<Future<Long>> starts = threads
            .invokeAll(IntStream.range(from, to).<Callable<Long>>mapToObj((number) -> () -> {
                long began = System.nanoTime();
                FleetRouter router = new FleetRouter(size, number, properties);
                synchronized (this.routers) {
                    this.routers.add(router);
                }
                return (System.nanoTime() - began) / 1_000_000;
            }).toList());
        threads.shutdown();
        List<String> millis = new ArrayList<>();
        for (Future<Long> start : starts) {
            millis.add(start.get().toString());
        }
        return String.join(" ", millis);
    }

    private void read(FleetRouter router) {
        try {
            router.read();
            this.reads.incrementAndGet();
        }
        catch (RuntimeException ex) {
            this.failures.incrementAndGet();
            System.out.println(ex);
        }
    }

    private static void all(List<FleetRouter> routers, Consumer<FleetRouter> action) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(SIDE_BY_SIDE);
        List<Future<Object>> done = threads.invokeAll(routers.stream()
            .map((router) -> Executors.callable(() -> action.accept(router)))
            .collect(Collectors.toList()));
        threads.shutdown();
        for (Future<Object> each : done) {
            each.get();
        }
    }

}
