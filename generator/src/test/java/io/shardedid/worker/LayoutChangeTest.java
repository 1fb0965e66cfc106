package io.shardedid.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
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
