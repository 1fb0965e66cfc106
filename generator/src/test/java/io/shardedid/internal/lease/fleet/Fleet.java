package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.internal.lease.fleet.FleetSchedule.Fault;
import io.shardedid.internal.lease.fleet.FleetSchedule.Step;

/**
 * Processes in slots. A slot whose process has ended gets another one, as an orchestrator
 * would do it. Used by one thread.
 */
final class Fleet {

    /** How many outputs of processes a failure shows. */
    private static final int SHOWN = 8;

    private FleetProcess.Launch launch;

    private final Path folder;

    private final FleetProcess[] slots;

    private final long[] restartNanos;

    private final List<FleetProcess> all = new ArrayList<>();

    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

    private final List<Outage> outages = new ArrayList<>();

    private final PriorityQueue<Due> dues = new PriorityQueue<>();

    Fleet(FleetProcess.Launch launch, Path folder, int slots) {
        this.launch = launch;
        this.folder = folder;
        folder.toFile().mkdirs();
        this.slots = new FleetProcess[slots];
        this.restartNanos = new long[slots];
        IntStream.range(0, slots).forEach(this::start);
    }

    /**
     * A time in which the network swallowed everything.
     *
     * @param beganMillis when it began
     * @param openedMillis when it was over
     * @param survivors the processes that lived through it, and on
     */
    record Outage(long beganMillis, long openedMillis, List<FleetProcess> survivors) {
    }

    /** Ends a server in the midst of everything, and starts it again. */
    @FunctionalInterface
    interface Crash {

        void by(String signal) throws Exception;

    }

    private record Due(long atNanos, Runnable action) implements Comparable<Due> {

        @Override
        public int compareTo(Due other) {
            return Long.compare(this.atNanos, other.atNanos);
        }

    }

    private void start(int slot) {
        this.slots[slot] = FleetProcess.start(this.launch, this.folder, "process-" + this.all.size());
        this.all.add(this.slots[slot]);
    }

    void awaitReady() {
        long until = System.nanoTime() + 180_000_000_000L;
        while (!List.of(this.slots).stream().allMatch(FleetProcess::ready)) {
            if (System.nanoTime() > until) {
                throw new AssertionError("The fleet did not start: " + this.all.stream()
                    .map((each) -> String.join(" / ", each.lines()))
                    .distinct()
                    .limit(SHOWN)
                    .toList());
            }
            pass(System.nanoTime() + 20_000_000);
        }
    }

    void run(FleetSchedule schedule, Crash database, SwallowingProxy network) throws Exception {
        long began = System.nanoTime();
        for (Step step : schedule.steps()) {
            pass(began + step.atMillis() * 1_000_000);
            this.counts.merge(step.fault(), 1, Integer::sum);
            switch (step.fault()) {
                case KILL -> end("KILL", step.slot(), 0);
                case KILL_FOR_A_WHILE -> end("KILL", step.slot(), step.forMillis());
                case REPLACE -> end("TERM", step.slot(), 0);
                case STOP -> stop(this.slots[step.slot()], step.forMillis());
                case CRASH_DATABASE -> database.by("QUIT");
                case KILL_DATABASE -> database.by("KILL");
                case SWALLOW -> began += swallow(network, step.forMillis());
            }
        }
        pass(began + schedule.endMillis() * 1_000_000);
    }

    /** Waits, and meanwhile does what is due and replaces what has ended. */
    void pass(long untilNanos) {
        while (true) {
            long now = System.nanoTime();
            while (!this.dues.isEmpty() && this.dues.peek().atNanos() - now <= 0) {
                this.dues.poll().action().run();
            }
            for (int slot = 0; slot < this.slots.length; slot++) {
                if (!this.slots[slot].alive() && this.restartNanos[slot] - now <= 0) {
                    start(slot);
                }
            }
            if (untilNanos - now <= 0) {
                return;
            }
            LockSupport.parkNanos(Math.min(untilNanos - now, 5_000_000));
        }
    }

    private void end(String signal, int slot, long pauseMillis) {
        this.slots[slot].signal(signal);
        this.slots[slot].signal("CONT");
        this.restartNanos[slot] = System.nanoTime() + pauseMillis * 1_000_000;
    }

    /** Ends a process; another one takes its slot. */
    void replace(int slot, String signal) {
        end(signal, slot, 0);
    }

    /** Replaces each process, one after another, by one that is told something else. */
    void replaceAll(FleetProcess.Launch other) {
        this.launch = other;
        for (int slot = 0; slot < this.slots.length; slot++) {
            replace(slot, "TERM");
            this.slots[slot].awaitEnd();
            pass(System.nanoTime());
        }
    }

    private void stop(FleetProcess process, long millis) {
        process.signal("STOP");
        this.dues.add(new Due(System.nanoTime() + millis * 1_000_000, () -> process.signal("CONT")));
    }

    /** Returns how long it waited before, so that what comes after is not shortened. */
    private long swallow(SwallowingProxy network, long millis) {
        long called = System.nanoTime();
        // whoever stands still is not to be counted as one that does not heal
        while (!this.dues.isEmpty()) {
            pass(this.dues.peek().atNanos());
        }
        List<FleetProcess> running = List.of(this.slots).stream().filter(FleetProcess::ready).toList();
        long began = System.currentTimeMillis();
        network.swallow();
        pass(System.nanoTime() + millis * 1_000_000);
        network.pass();
        this.outages.add(new Outage(began, System.currentTimeMillis(), running));
        return System.nanoTime() - called - millis * 1_000_000;
    }

    /** Ends every process; journals stand still from here on. */
    void end() {
        for (int slot = 0; slot < this.slots.length; slot++) {
            this.slots[slot].signal((slot % 2 == 0) ? "TERM" : "KILL");
            this.slots[slot].signal("CONT");
        }
        this.all.forEach(FleetProcess::awaitEnd);
    }

    /** Every process that ever was. */
    List<FleetProcess> all() {
        return this.all;
    }

    List<Outage> outages() {
        return this.outages;
    }

    /** How many faults of each kind there were. */
    Map<Fault, Integer> counts() {
        return this.counts;
    }

}
