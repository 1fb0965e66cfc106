package io.shardedid.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.SettableTime;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The recipe of UPGRADING.md for another layout, on a real table in H2.
 */
class LayoutChangeTest {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private static LeaseSettings settings(String namespace) {
        return LeaseSettings.builder()
            .namespace(namespace)
            .window(Duration.ofSeconds(3))
            .renewEvery(Duration.ofSeconds(1))
            .startupTimeout(Duration.ofMillis(3100))
            .owner("test")
            .build();
    }

    private ShardedIdEngine before() {
        return ShardedIds.builder()
            .workers(JdbcWorkerLeases.leased(settings("default"), LeaseConnections.url(this.url, "sa", ""),
                    "shardedid_worker", SchemaInitialization.EMBEDDED, List.of()))
            .open();
    }

    private ShardedIdEngine after(IdLayout layout) {
        return ShardedIds.builder()
            .layout(layout)
            .workers(JdbcWorkerLeases.leasedInPlaceOf(settings("fleet"), LeaseConnections.url(this.url, "sa", ""),
                    "shardedid_worker", SchemaInitialization.EMBEDDED, List.of(), "default"))
            .open();
    }

    @Test
    void idsOfTheNewLayoutAreLargerThanAllBeforeWhichBecomeLegacy() {
        long old;
        try (ShardedIdEngine ids = before()) {
            long[] burst = new long[2_000];
            ids.next(1999, burst);
            old = burst[burst.length - 1];
        }
        try (ShardedIdEngine ids = after(IdLayout.fleet())) {
            assertThat(ids.next(0)).isGreaterThan(old);
            assertThat(ids.legacy(old)).isTrue();
            assertThat(ids.legacy(ids.next(0))).isFalse();
        }
        after(IdLayout.fleet()).close();
    }

    /** The clock stands still, and ids ran ahead of it. */
    @Test
    void newNamespaceBeginsAboveTheEndOfTheOldOneHoweverSoonItComes() {
        SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));
        IdLayout before = IdLayout.instagram();
        IdLayout after = IdLayout.fleet();
        for (int ahead : new int[] { 62, 0, -62 }) {
            long end = before.tickAt(time.instant().plusMillis(ahead));

            Instant begin = after.instantAt(begin(time, before, end, after));

            assertThat(after.firstIdAt(begin)).isGreaterThan(before.lastIdAt(before.instantAt(end)));
            assertThat(begin).isEqualTo(time.instant().plusMillis((ahead < 0) ? 0 : ahead + 1));
        }
    }

    /** The first tick of a namespace that replaces one with a row that was given back. */
    private static long begin(SettableTime time, IdLayout before, long end, IdLayout after) {
        EngineTerms terms = new EngineTerms(after, 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), time);
        FaultyStore old = new FaultyStore(time);
        old.execute(new LeaseStatement.Insert(new LeaseRow(LeaseRow.LAYOUT, "old", 0, 0, 0, null,
                new EngineTerms(before, 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), time)
                    .fingerprint()),
                null));
        old.execute(new LeaseStatement.Insert(new LeaseRow(0, "given back", 1, 0, end, null, null), null));
        long first = new LayoutChange("default", "fleet", () -> old).close(terms);
        LayoutDialogue dialogue = new LayoutDialogue(settings("fleet").terms().timing(after), "fleet",
                terms.fingerprint(), () -> "new", first, (failure) -> true, time.nanoTime());
        FaultyStore store = new FaultyStore(time);
        while (!dialogue.ended()) {
            LeaseReply reply = store.execute(Objects.requireNonNull(dialogue.next(time.nanoTime())));
            dialogue.reply(reply, time.nanoTime(), time.nanoTime());
        }
        return dialogue.row().hwmTick();
    }

    @Test
    void closesTheOldNamespaceForEver() {
        before().close();
        after(IdLayout.fleet()).close();
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(this::before)
            .withMessageContaining("0: replaced by namespace 'fleet' until 9999-12-31T23:59:59Z");
    }

    @Test
    void refusesWhileSomebodyHoldsALeaseThere() {
        try (ShardedIdEngine running = before()) {
            assertThat(running.next(1)).isPositive();
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> after(IdLayout.fleet()))
                .withMessage("Could not replace namespace 'default' by 'fleet': processes still hold leases there "
                        + "(0: test); stop them all first");
        }
    }

    @Test
    void refusesALayoutWhoseIdsWouldFallAmongTheOldOnes() {
        before().close();
        IdLayout later = IdLayout.fleet().toBuilder().epoch(Instant.parse("2026-01-01T00:00:00Z")).build();
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> after(later))
            .withMessageStartingWith(
                    "Could not replace namespace 'default' by 'fleet': ids of the new layout would not "
                            + "be larger than those there are: smallest new id=")
            .withMessageEndingWith("; choose an earlier epoch or wider fields below the time");
    }

    @Test
    void refusesANamespaceThatWasNeverUsed() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> after(IdLayout.fleet()))
            .withMessage("Could not replace namespace 'default' by 'fleet': it has no rows");
    }

}
