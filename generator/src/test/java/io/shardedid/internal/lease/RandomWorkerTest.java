package io.shardedid.internal.lease;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.IdLayout;
import io.shardedid.OwnRegistry;
import io.shardedid.SeparateJvm;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.UuidLayout;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mode {@code random}.
 */
class RandomWorkerTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final SettableTime time = SettableTime.at(START);

    private ShardedIdEngine open() {
        return new OwnRegistry().builder().timeSource(this.time).workers(WorkerLeases.random()).open();
    }

    @Test
    void uuidsAreMadeAtOnceAndForLong() {
        try (ShardedIdEngine ids = open()) {
            UUID before = ids.uuids().next(7);
            assertThat(UuidLayout.instantOf(before)).isEqualTo(START);
            for (int minute = 1; minute < 600; minute++) {
                this.time.advance(Duration.ofMinutes(1));
                UUID uuid = ids.uuids().next(7);
                assertThat(uuid).isGreaterThan(before);
                assertThat(UuidLayout.instantOf(uuid)).isEqualTo(START.plus(Duration.ofMinutes(minute)));
                before = uuid;
            }
            assertThat(ids.clock().instant()).isEqualTo(UuidLayout.instantOf(before));
            int worker = UuidLayout.parse(before).worker();
            assertThat(ids.stats().worker()).isEqualTo(worker);
            assertThat(ids.workers()).isEqualTo(List
                .of(new WorkerHolding(worker, WorkerHolding.State.HELD, "drawn by chance", Instant.MAX, 1, true)));
        }
    }

    @Test
    void uuidsGoOnWhenTheWallClockIsSetBack() {
        try (ShardedIdEngine ids = open()) {
            UUID before = ids.uuids().next(7);
            this.time.stepWall(Duration.ofHours(-1));
            this.time.advance(Duration.ofMinutes(1));

            assertThat(UuidLayout.instantOf(ids.uuids().next(7))).isEqualTo(START.plus(Duration.ofMinutes(1)))
                .isAfter(UuidLayout.instantOf(before));
            assertThat(ids.clock().instant()).isEqualTo(START.plus(Duration.ofMinutes(1)));
        }
    }

    @Test
    void everyEngineDrawsAWorkerOfSixteenBits() {
        Set<Integer> workers = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            try (ShardedIdEngine ids = open()) {
                workers.add(UuidLayout.parse(ids.uuids().next(7)).worker());
            }
        }
        assertThat(workers).hasSizeGreaterThan(35).anyMatch((worker) -> worker > 32_000);
    }

    @Test
    void idsOfSixtyFourBitsAreRefusedAtOnce() {
        try (ShardedIdEngine ids = open()) {
            assertThat(ids.onlyUuids()).isTrue();
            assertRefused(() -> ids.next(7));
            assertRefused(ids::next);
            assertRefused(() -> ids.next(7, new long[2]));
            ids.uuids().next(7);
            assertRefused(() -> ids.next(7));
            assertThat(this.time.parks()).as("nobody waits for what never comes").isZero();
        }
    }

    private static void assertRefused(Runnable attempt) {
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(attempt::run)
            .withMessageContainingAll("shardedid.worker.mode=random", "UUID")
            .matches((refused) -> !refused.retryable());
    }

    @Test
    void resumedEngineHasAnotherWorkerAndASuspendedOneMakesNothing() {
        Set<Integer> workers = new HashSet<>();
        try (ShardedIdEngine ids = open()) {
            UUID before = ids.uuids().next(7);
            for (int i = 0; i < 5; i++) {
                ids.suspend();
                assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ids.uuids().next(7))
                    .withMessageContainingAll("shardedid.worker.mode=random", "resume");
                ids.resume();
                UUID now = ids.uuids().next(7);
                assertThat(now).isGreaterThan(before);
                workers.add(UuidLayout.parse(now).worker());
                before = now;
            }
        }
        assertThat(workers).hasSizeGreaterThan(1);
    }

    @Test
    void copyOfAProcessDrawsItsWorkerAnew() {
        Security.insertProviderAt(new NumberedRandoms(), 1);
        try (ShardedIdEngine ids = open()) {
            int worker = UuidLayout.parse(ids.uuids().next(7)).worker();
            ids.suspend();
            ids.resume();

            assertThat(UuidLayout.parse(ids.uuids().next(7)).worker())
                .as("drawn by a generator that is no part of the copy")
                .isNotEqualTo(worker);
        }
        finally {
            Security.removeProvider(NumberedRandoms.NAME);
        }
    }

    /** Each generator always draws its own number, as if it had been copied each time. */
    static final class NumberedRandoms extends Provider {

        private static final long serialVersionUID = 1L;

        static final String NAME = "numbered";

        NumberedRandoms() {
            super(NAME, "1", "generators with numbers");
            put("SecureRandom.numbered", Numbered.class.getName());
        }

        public static final class Numbered extends SecureRandomSpi {

            private static final long serialVersionUID = 1L;

            private static final AtomicInteger MADE = new AtomicInteger();

            private final byte number = (byte) MADE.incrementAndGet();

            @Override
            protected void engineSetSeed(byte[] seed) {
            }

            @Override
            protected void engineNextBytes(byte[] bytes) {
                Arrays.fill(bytes, this.number);
            }

            @Override
            protected byte[] engineGenerateSeed(int length) {
                return new byte[length];
            }

        }

    }

    @Test
    void twoProcessesThatKnowNothingOfEachOtherMakeNoEqualUuids() throws Exception {
        List<Process> processes = new ArrayList<>();
        Set<UUID> made = new HashSet<>();
        try {
            for (int i = 0; i < 2; i++) {
                processes.add(new ProcessBuilder(SeparateJvm.command(Maker.class, ShardedIdEngine.class)).start());
            }
            for (Process process : processes) {
                assertThat(process.inputReader().readLine()).isEqualTo("ready");
            }
            for (Process process : processes) {
                process.outputWriter().write("go\n");
                process.outputWriter().flush();
            }
            Set<Integer> workers = new HashSet<>();
            for (Process process : processes) {
                List<UUID> its = process.inputReader().lines().map(UUID::fromString).toList();
                assertThat(its).hasSize(Maker.UUIDS).isSorted();
                made.addAll(its);
                workers.add(UuidLayout.parse(its.get(0)).worker());
            }
            // equal ones with a probability of 2^-49 for each claim that both have made
            assertThat(made).hasSize(2 * Maker.UUIDS);
            assertThat(workers).isNotEmpty();
        }
        finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    /** Makes UUIDs of one shard, without a database and without a driver. */
    static final class Maker {

        static final int UUIDS = 20_000;

        private Maker() {
        }

        public static void main(String[] args) throws Exception {
            SeparateJvm.endWithParent();
            try (ShardedIdEngine ids = ShardedIds.builder().workers(WorkerLeases.random()).open()) {
                System.out.println("ready");
                new BufferedReader(new InputStreamReader(System.in)).readLine();
                StringBuilder lines = new StringBuilder();
                for (int i = 0; i < UUIDS; i++) {
                    lines.append(ids.uuids().next(7)).append('\n');
                }
                System.out.print(lines);
            }
        }

    }

    @Test
    void layoutWithOtherTicksIsRefusedAtTheStart() {
        IdLayout layout = IdLayout.sonyflake(Instant.parse("2014-09-01T00:00:00Z"));

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> new OwnRegistry().builder().layout(layout).workers(WorkerLeases.random()).open())
            .withMessageContainingAll("tick=10ms", "layout=" + layout, "standard");
    }

    @Test
    void modeIsConfiguredWithoutADatabase() {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.of("shardedid.worker.mode", "random"));
        try (ShardedIdEngine ids = settings.builder().workers(settings.workers(LeaseEnvironment.UNKNOWN)).open()) {
            assertThat(UuidLayout.shardOf(ids.uuids().nextFor(4711L))).isEqualTo(4711 % 2000);
        }
    }

    @Test
    void workerIdIsRefusedBesideTheMode() {
        ShardedIdSettings settings = ShardedIdSettings
            .from(Map.of("shardedid.worker.mode", "random", "shardedid.worker.id", "7"));

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> settings.workers(LeaseEnvironment.UNKNOWN))
            .withMessageContainingAll("shardedid.worker.id=7", "shardedid.worker.mode=random");
    }

}
