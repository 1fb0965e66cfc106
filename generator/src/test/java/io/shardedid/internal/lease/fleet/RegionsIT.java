package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.Seed;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.LeaseChange;
import io.shardedid.tools.Needs;
import io.shardedid.tools.ProofLength;
import io.shardedid.tools.Tool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two servers replicate their rows to each other, and real processes at both fill the
 * same shards from two lease tables. The clock of the first server is ahead. The command
 * gives worker ids from the first table to the second one, and some back.
 */
@Tag("proof")
@Tag("nightly")
@Needs(Tool.LIBFAKETIME)
class RegionsIT {

    private static final Duration AHEAD = Duration.ofSeconds(8);

    private static final int ROUNDS = ProofLength.of(1, 4);

    @TempDir
    private Path folder;

    private Region one;

    private Region two;

    private enum Fault {

        /** kill -9 of a process, and a new one. */
        KILL,

        /** SIGTERM, and a new process. */
        REPLACE,

        /** pg_ctl stop -m immediate, and start. */
        CRASH_SERVER,

        /** kill -9 of the postmaster, and start. */
        KILL_SERVER,

        /** The rows of one region do not reach the other one. */
        CUT,

        /** They come later. */
        HOLD,

        /** None reach the other region, and a process is killed meanwhile. */
        CUT_BOTH

    }

    private record Step(Fault fault, Region region) {
    }

    @Test
    void everyRowArrivesAndNoIdsAreEqual() throws Exception {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
        try (Region first = new Region(this.folder.resolve("one"), AHEAD);
                Region second = new Region(this.folder.resolve("two"), Duration.ZERO)) {
            meet(first, second, AHEAD);
            first.start("0-8");
            first.stop();
            change(first.settings("0-5"), null);
            change(second.settings("6-8"), first.settings("0-5"));
            first.start("0-5");
            second.start("6-8");
            disturb(random, faults);
            first.stop();
            change(first.settings("0-2"), null);
            first.start("0-2");
            second.stop();
            change(second.settings("3-8"), first.settings("0-2"));
            second.start("3-8");
            disturb(random, faults);
            second.stop();
            change(second.settings("6-8"), null);
            second.start("6-8");
            first.stop();
            change(first.settings("0-5"), second.settings("6-8"));
            first.start("0-5");
            disturb(random, faults);
            first.stop();
            second.stop();
            // a conflict stops the replication
            await("rows",
                    () -> Arrays.equals(first.rows(), second.rows()) || first.conflicts() + second.conflicts() > 0);

            requireAhead(AHEAD);
            FleetFindings found = found();
            FleetFindings here = FleetFindings.of(first.processes(), List.of());
            long[] rows = first.rows();
            long ofFirst = LongStream.of(rows).filter(here::knows).count();
            long conflicts = first.conflicts() + second.conflicts();
            System.out.printf(
                    "regions: %s, processes=%s, faults=%s, ids=%,d, equal=%s, rows at both=%,d (%,d of the first "
                            + "region), conflicts=%s, worker ids=%s and %s%n",
                    seed, first.processes().size() + second.processes().size(), faults, found.ids().length,
                    found.duplicates(), rows.length, ofFirst, conflicts, first.workers(), second.workers());
            assertThat(found.duplicates()).as("duplicate ids, %s", seed).isZero();
            assertThat(found.failures()).as("failures, %s", seed).isEmpty();
            assertThat(conflicts).as("conflicts, %s", seed).isZero();
            assertThat(second.rows()).as("rows of the second region, %s", seed).isEqualTo(rows);
            assertThat(ofFirst).as("rows of the first region, %s", seed).isBetween(1L, rows.length - 1L);
            assertThat(LongStream.of(rows).filter((id) -> !found.knows(id))).as("ids from nowhere, %s", seed).isEmpty();
            assertThat(first.workers()).as("worker ids of the first region, %s", seed).contains(0, 1, 2);
            assertThat(second.workers()).as("worker ids of the second region, %s", seed)
                .containsAnyOf(3, 4, 5)
                .containsAnyOf(6, 7, 8)
                .allMatch((worker) -> worker >= 3);
        }
    }

    /** What the promise assumes, and that this test would see it broken. */
    @Test
    void withoutRangesIdsAreEqual() throws Exception {
        try (Region first = new Region(this.folder.resolve("one"), AHEAD);
                Region second = new Region(this.folder.resolve("two"), Duration.ZERO)) {
            meet(first, second, AHEAD);
            // with links, a server would refuse most of the equal rows as they are
            // inserted
            first.link.cut();
            second.link.cut();
            first.start(null);
            second.start(null);
            await("equal rows", () -> {
                long[] rows = first.rows();
                return LongStream.of(second.rows()).anyMatch((id) -> Arrays.binarySearch(rows, id) >= 0);
            });
            first.link.pass();
            second.link.pass();
            await("conflicts", () -> first.conflicts() + second.conflicts() > 0);
            System.out.printf("regions without ranges: ids=%,d, equal=%,d, conflicts=%,d%n", found().ids().length,
                    found().duplicates(), first.conflicts() + second.conflicts());
            assertThat(found().duplicates()).isPositive();
        }
    }

    private void meet(Region first, Region second, Duration ahead) throws Exception {
        this.one = first;
        this.two = second;
        requireAhead(ahead);
        first.follow(second);
        second.follow(first);
    }

    private void requireAhead(Duration ahead) throws Exception {
        long behind = this.two.clock();
        assertThat(this.one.clock() - behind).as("the clocks").isGreaterThanOrEqualTo(ahead.toMillis());
    }

    private FleetFindings found() {
        return FleetFindings.of(Stream.concat(this.one.processes().stream(), this.two.processes().stream()).toList(),
                List.of());
    }

    /** As the inspector does it. */
    private static void change(ShardedIdSettings to, @Nullable ShardedIdSettings from) {
        LeaseChange change = to.change();
        ((from != null) ? change.from(from.leaseTable()) : change).run();
    }

    /** Each fault in each region, in an order of chance, as often as there are rounds. */
    private void disturb(Random random, Map<Fault, Integer> faults) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            List<Step> steps = new ArrayList<>();
            for (Fault fault : Fault.values()) {
                steps.add(new Step(fault, this.one));
                steps.add(new Step(fault, this.two));
            }
            Collections.shuffle(steps, random);
            for (Step step : steps) {
                faults.merge(step.fault(), 1, Integer::sum);
                disturb(step.fault(), step.region(), random.nextInt(Region.PROCESSES));
                pass(Duration.ofMillis(300 + random.nextInt(700)));
            }
        }
    }

    private void disturb(Fault fault, Region region, int slot) throws Exception {
        switch (fault) {
            case KILL -> region.fleet().replace(slot, "KILL");
            case REPLACE -> region.fleet().replace(slot, "TERM");
            case CRASH_SERVER -> region.server.crash("QUIT");
            case KILL_SERVER -> region.server.crash("KILL");
            case CUT -> region.link.cut();
            case HOLD -> region.link.hold();
            case CUT_BOTH -> {
                this.one.link.cut();
                this.two.link.cut();
                region.fleet().replace(slot, "KILL");
            }
        }
        if (fault.compareTo(Fault.CUT) >= 0) {
            pass(Duration.ofSeconds(2));
            this.one.link.pass();
            this.two.link.pass();
        }
    }

    private interface Condition {

        boolean met() throws Exception;

    }

    private void await(String what, Condition condition) throws Exception {
        long until = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.met()) {
            assertThat(System.nanoTime() - until < 0).as("%s within 2 minutes", what).isTrue();
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
        }
    }

    /** Waits, and meanwhile replaces what has ended. */
    private void pass(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        do {
            this.one.fleet().pass(System.nanoTime());
            this.two.fleet().pass(System.nanoTime());
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        while (System.nanoTime() - until < 0);
    }

}
