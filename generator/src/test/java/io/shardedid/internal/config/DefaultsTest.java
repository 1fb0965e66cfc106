package io.shardedid.internal.config;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;

import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plain Java and configuration without keys are the same: an application may change from
 * one to the other while its fleet runs.
 */
class DefaultsTest {

    private final ShardedIdSettings withoutKeys = ShardedIdSettings.from(Map.of());

    @Test
    void builderAndSettingsWithoutKeysOpenEqualTerms() {
        try (ShardedIdEngine built = ShardedIds.builder().workers(WorkerLeases.fixed(0)).open();
                ShardedIdEngine configured = this.withoutKeys.builder().workers(WorkerLeases.fixed(0)).open()) {
            assertThat(configured.terms()).isEqualTo(built.terms());
            assertThat(configured.reader().shardFunction()).isSameAs(built.reader().shardFunction());
            assertThat(configured.terms().olderIdsBefore()).isEqualTo(built.terms().olderIdsBefore());
        }
    }

    @Test
    void builderAndSettingsWithoutKeysLeaseAlike() {
        assertThat(LeaseEnvironment.UNKNOWN.settings(ShardedIdSettings.from(Map.of()))).usingRecursiveComparison()
            .isEqualTo(LeaseSettings.builder().build());
    }

    /** A key that is read and handed on to nobody would leave its part as it is. */
    @Test
    void eachKeyOfALeaseArrives() throws ReflectiveOperationException {
        LeaseSettings set = LeaseEnvironment.UNKNOWN
            .settings(ShardedIdSettings.from(Map.of("shardedid.worker.lease.namespace", "shop",
                    "shardedid.worker.lease.window", "7s", "shardedid.worker.lease.startup-timeout", "70s",
                    "shardedid.worker.lease.acquire", "first-use", "shardedid.worker.lease.tolerate-lost-commits",
                    "true", "shardedid.worker.lease.promoted-clock-behind", "3s", "shardedid.clock.max-skew", "2h",
                    "shardedid.worker.lease.worker-ids", "3-9", "shardedid.worker.id", "4")));
        for (RecordComponent part : LeaseSettings.class.getRecordComponents()) {
            // the two that the environment says, and no key
            if (!List.of("awaitTable", "owner").contains(part.getName())) {
                assertThat(part.getAccessor().invoke(set)).as(part.getName())
                    .isNotEqualTo(part.getAccessor().invoke(LeaseSettings.builder().build()));
            }
        }
    }

}
