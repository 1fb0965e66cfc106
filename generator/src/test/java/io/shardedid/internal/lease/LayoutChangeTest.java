package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The recipe of docs/choosing.md for another layout, on a real table in H2.
 */
class LayoutChangeTest {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    /** With these, a process that gets no worker id gives up after 3.1 s. */
    private static LeaseSettings impatient(String namespace) {
        return LeaseSettings.builder()
            .namespace(namespace)
            .window(Duration.ofSeconds(3))
            .renewEvery(Duration.ofSeconds(1))
            .startupTimeout(Duration.ofMillis(3100))
            .owner("test")
            .build();
    }

    private static LeaseSettings settings(String namespace) {
        return LeaseSettings.builder().namespace(namespace).owner("test").build();
    }

    private ShardedIdEngine before() {
        return before(settings("default"));
    }

    private ShardedIdEngine before(LeaseSettings settings) {
        return ShardedIds.builder()
            .workers(JdbcLeases.leased(settings, LeaseConnections.url(this.url, "sa", ""), "shardedid_worker",
                    SchemaInitialization.EMBEDDED, List.of()))
            .open();
    }

    private ShardedIdEngine after(IdLayout layout) {
        return ShardedIds.builder()
            .layout(layout)
            .workers(JdbcLeases.leasedInPlaceOf(settings("fleet"), LeaseConnections.url(this.url, "sa", ""),
                    "shardedid_worker", SchemaInitialization.EMBEDDED, List.of(), "default"))
            .open();
    }

    @Test
    void idsOfTheNewLayoutAreLargerThanAllBeforeWhichBecomeOlder() {
        long old;
        try (ShardedIdEngine ids = before()) {
            long[] burst = new long[2_000];
            ids.next(1999, burst);
            old = burst[burst.length - 1];
        }
        try (ShardedIdEngine ids = after(IdLayout.standard())) {
            assertThat(ids.next(0)).isGreaterThan(old);
            assertThat(ids.reader().isOlder(old)).isTrue();
            assertThat(ids.reader().isOlder(ids.next(0))).isFalse();
        }
        after(IdLayout.standard()).close();
    }

    /** The clock stands still, and ids ran ahead of it. */
    @Test
    void newNamespaceBeginsAboveTheEndOfTheOldOneHoweverSoonItComes() {
        SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));
        IdLayout before = IdLayout.manyShards();
        IdLayout after = IdLayout.standard();
        for (int ahead : new int[] { 62, 0, -62 }) {
            long end = before.tickAt(time.instant().plusMillis(ahead));

            Instant begin = after.instantAt(begin(time, before, end, after));

            assertThat(after.firstIdAt(begin)).isGreaterThan(before.lastIdAt(before.instantAt(end)));
            assertThat(begin).isEqualTo(time.instant().plusMillis((ahead < 0) ? 0 : ahead + 1));
        }
    }

    /**
     * The rows are what a failover has left: it has lost the last lease. The new settings
     * are plain.
     */
    @Test
    void newNamespaceBeginsAboveWhatAFailoverMayHaveForgotten() {
        SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));
        IdLayout before = IdLayout.manyShards();
        EngineTerms terms = terms(IdLayout.standard(), time);
        FaultyStore old = old(time, before, before.tickAt(time.instant()), "mode=tolerant window=9000 reach=12000");
        LayoutChange change = new LayoutChange("default", "fleet", () -> old);
        LeaseSettings plain = settings("fleet");
        long above = IdLayout.standard().tickAt(time.instant().plusSeconds(12 + 1 + 10)) + 1;

        assertThat(change.close(terms, plain)).isEqualTo(above);
        assertThat(change.close(terms, plain)).as("repeated, because it broke off").isEqualTo(above);
    }

    @Test
    void newNamespaceBeginsAboveTheReachOfAStoreThatMayLoseWrites() {
        SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));
        IdLayout before = IdLayout.manyShards();
        FaultyStore old = old(time, before, before.tickAt(time.instant()), null);
        old.durability = Durability.MAY_BE_LOST;

        assertThat(new LayoutChange("default", "fleet", () -> old).close(terms(IdLayout.standard(), time),
                settings("fleet")))
            .isEqualTo(IdLayout.standard().tickAt(time.instant().plusSeconds(10 + 1 + 10)) + 1);
    }

    /** On a server whose clock is behind, it may renew yet. */
    @Test
    void tolerantLeaseHoldsUntilEveryClockIsPastIt() {
        SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));
        FaultyStore old = old(time, IdLayout.manyShards(), 0, null);
        old.execute(
                new LeaseStatement.Insert(new LeaseRow(3, "run out", 1, time.instant().minusSeconds(9).toEpochMilli(),
                        0, "late", "mode=tolerant window=9000 reach=10000"), null));
        LayoutChange change = new LayoutChange("default", "fleet", () -> old);

        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> change.close(terms(IdLayout.standard(), time), settings("fleet")))
            .withMessageContaining("processes still hold leases there (3: late)");
        time.advance(Duration.ofSeconds(2));
        assertThat(change.close(terms(IdLayout.standard(), time), settings("fleet"))).isPositive();
    }

    private static EngineTerms terms(IdLayout layout, SettableTime time) {
        return new EngineTerms(layout, 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), time);
    }

    /** A store with the layout row and a row that was given back. */
    private static FaultyStore old(SettableTime time, IdLayout layout, long end, @Nullable String promise) {
        FaultyStore old = new FaultyStore(time);
        old.execute(new LeaseStatement.Insert(
                new LeaseRow(LeaseRow.LAYOUT, "old", 0, 0, 0, null, terms(layout, time).fingerprint()), null));
        old.execute(new LeaseStatement.Insert(new LeaseRow(0, "given back", 1, 0, end, null, promise), null));
        return old;
    }

    /** The first tick of a namespace that replaces one with a row that was given back. */
    private static long begin(SettableTime time, IdLayout before, long end, IdLayout after) {
        EngineTerms terms = terms(after, time);
        FaultyStore old = old(time, before, end, null);
        long first = new LayoutChange("default", "fleet", () -> old).close(terms, settings("fleet"));
        LayoutDialogue dialogue = new LayoutDialogue(LeaseRules.of(settings("fleet")).timing(after), "fleet",
                terms.fingerprint(), LeaseRules.of(settings("fleet")).available(after), () -> "new", first,
                (failure) -> true, time, time.nanoTime());
        FaultyStore store = new FaultyStore(time);
        while (!dialogue.ended()) {
            LeaseReply reply = store.execute(Objects.requireNonNull(dialogue.next(time.nanoTime())));
            dialogue.reply(reply, time.nanoTime(), time.nanoTime());
        }
        return dialogue.row().hwmTick();
    }

    /** Before, the leases may have been in another database, whose clock was right. */
    @Test
    void newNamespaceDoesNotBeginBeforeThePresentTimeOfAProcess() {
        SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));
        long tick = IdLayout.standard().tickAt(time.instant());
        for (int behind : new int[] { 15_000, 30_000 }) {
            assertThat(begin(time, Duration.ofMillis(behind), Duration.ofSeconds(30))).isEqualTo(tick);
        }
        for (int near : new int[] { 1_000, 30_001, -15_000 }) {
            assertThat(begin(time, Duration.ofMillis(near), Duration.ofSeconds(30))).isEqualTo(tick - near);
        }
    }

    private static long begin(SettableTime time, Duration behind, Duration window) {
        LayoutDialogue dialogue = new LayoutDialogue(
                LeaseRules.of(LeaseSettings.builder().window(window).build()).timing(IdLayout.standard()), "fleet",
                "layout", new WorkerIdRange(0, 126), () -> "new", 0, (failure) -> true, time, time.nanoTime());
        dialogue.next(time.nanoTime());
        dialogue.reply(new LeaseReply.Rows(time.instant().minus(behind).toEpochMilli(), List.of()), time.nanoTime(),
                time.nanoTime());
        return ((LeaseStatement.Insert) Objects.requireNonNull(dialogue.next(time.nanoTime()))).row().hwmTick();
    }

    @Test
    void closesTheOldNamespaceForever() {
        before().close();
        after(IdLayout.standard()).close();
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> before(impatient("default")))
            .withMessageContaining("0: replaced by namespace 'fleet' until 9999-12-31T23:59:59Z");
    }

    @Test
    void refusesWhileSomebodyHoldsALeaseThere() {
        try (ShardedIdEngine running = before()) {
            assertThat(running.next(1)).isPositive();
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> after(IdLayout.standard()))
                .withMessage("Could not replace namespace 'default' by 'fleet': processes still hold leases there "
                        + "(0: test); stop them all first");
        }
    }

    @Test
    void refusesALayoutWhoseIdsWouldFallAmongTheOldOnes() {
        before().close();
        IdLayout later = IdLayout.standard().toBuilder().epoch(Instant.parse("2026-01-01T00:00:00Z")).build();
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> after(later))
            .withMessageStartingWith(
                    "Could not replace namespace 'default' by 'fleet': ids of the new layout would not "
                            + "be larger than those there are: smallest new id=")
            .withMessageEndingWith("; choose an earlier epoch or wider fields below the time");
    }

    @Test
    void refusesANamespaceThatWasNeverUsed() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> after(IdLayout.standard()))
            .withMessage("Could not replace namespace 'default' by 'fleet': it has no rows");
    }

    @Test
    void layoutThatCannotBeReadIsRefusedWithAWayOut() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> LayoutChange.layout("epoch=2025-01-01T00:00:00Z,tick=a while"))
            .withMessage("Could not read a layout: fingerprint='epoch=2025-01-01T00:00:00Z,tick=a while' "
                    + "(a later version may have made the row); take the version that made it")
            .satisfies((ex) -> assertThat(ex.problem().remedy()).isEqualTo("take the version that made it"));
    }

}
