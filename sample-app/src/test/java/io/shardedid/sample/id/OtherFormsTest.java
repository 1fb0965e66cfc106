package io.shardedid.sample.id;

import java.time.Instant;

import io.shardedid.IdParts;
import io.shardedid.sample.id.IdView.OtherForm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OtherFormsTest {

    @Test
    void writesInstagramsPublishedExample() {
        // 1387263000 ms after Instagram's epoch, user 31341 in 2000 shards, sequence
        // 5001: shard 1341, 5001 % 1024.
        IdParts parts = new IdParts(Instant.ofEpochMilli(1_314_220_021_721L + 1_387_263_000L), 1341, 28, 9);
        assertThat(OtherForms.of(parts)).filteredOn((form) -> form.system().equals("Instagram"))
            .extracting(OtherForm::id)
            .containsExactly(Long.toString(1_387_263_000L << 23 | 1341 << 10 | 5001 % 1024));
    }

    @Test
    void writesASnowflakeThatTwitterMade() {
        // A post of June 2022, machine 378, the first of its millisecond.
        IdParts parts = new IdParts(Instant.parse("2022-06-28T16:07:40.105Z"), 7, 378, 0);
        assertThat(OtherForms.of(parts)).filteredOn((form) -> form.system().equals("Snowflake"))
            .extracting(OtherForm::id)
            .containsExactly("1541815603606036480");
    }

    @Test
    void leavesOutASystemWhoseTimeIsOver() {
        IdParts parts = new IdParts(Instant.parse("2059-01-01T00:00:00Z"), 1, 1, 1);
        assertThat(OtherForms.of(parts)).extracting(OtherForm::system).containsExactly("Snowflake", "UUIDv7");
    }

    @Test
    void startsAUuidWithTheMillisecond() {
        IdParts parts = new IdParts(Instant.ofEpochMilli(0x01a1fdb3d354L), 1, 1, 1);
        assertThat(OtherForms.of(parts)).last()
            .extracting(OtherForm::id)
            .isEqualTo("01a1fdb3-d354-7000-8000-000000000000");
    }

}
