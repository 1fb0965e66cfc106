package io.shardedid.internal.config;

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
            assertThat(configured.reader().olderIdsBefore()).isEqualTo(built.reader().olderIdsBefore());
        }
    }

    @Test
    void builderAndSettingsWithoutKeysLeaseAlike() {
        assertThat(LeaseEnvironment.UNKNOWN.settings(SettingValues.of(Map.of()))).usingRecursiveComparison()
            .isEqualTo(LeaseSettings.builder().build());
    }

}
