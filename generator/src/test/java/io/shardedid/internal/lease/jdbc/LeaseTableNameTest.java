package io.shardedid.internal.lease.jdbc;

import io.shardedid.ShardedIdConfigurationException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaseTableNameTest {

    @Test
    void readsTableAndSchema() {
        assertThat(LeaseTableName.of("shardedid_worker")).isEqualTo(LeaseTableName.DEFAULT);
        assertThat(LeaseTableName.of("Ops.Worker_$2")).isEqualTo(new LeaseTableName("Ops", "Worker_$2"));
        assertThat(LeaseTableName.of("Ops.Worker_$2")).hasToString("Ops.Worker_$2");
        assertThat(LeaseTableName.of("a".repeat(63) + "." + "b".repeat(63)).table()).hasSize(63);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", " ", "t ", "1t", "a.b.c", ".t", "s.", "t;DROP TABLE users", "t\"", "t`", "t'--", "t\n",
            "t\0", "t-1", "tä", "\"t\"", "t/**/", "(SELECT 1)", "s..t" })
    void refusesWhatIsNoName(String name) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> LeaseTableName.of(name))
            .withMessageContainingAll("shardedid.worker.lease.table='" + name + "'", "schema.table", "rename");
    }

    @Test
    void refusesAPartThatIsTooLong() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> LeaseTableName.of("a".repeat(64)));
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> LeaseTableName.of("a".repeat(64) + ".t"));
    }

}
