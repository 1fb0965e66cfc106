package io.shardedid.cli;

import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids that other systems made, as their documentation takes them apart.
 */
class ForeignLayoutTest {

    /** The worked example of Discord's API reference. */
    @Test
    void readsDiscordIds() {
        IdParts parts = ForeignLayout.named("discord").parse(175928847299117063L);

        assertThat(parts).isEqualTo(new IdParts(Instant.parse("2016-04-30T11:18:25.796Z"), 0, 1 << 5, 7));
    }

    /** The status of Mastodon's API reference, created at 03:48:33.901. */
    @Test
    void readsMastodonIds() {
        IdParts parts = ForeignLayout.named("mastodon").parse(103270115826048975L);

        assertThat(parts.instant()).isEqualTo("2019-12-08T03:48:33.849Z");
        assertThat(parts.sequence()).isEqualTo(103270115826048975L & 0xffff);
    }

    /** Two of the examples of tsid-creator's README, before and after a millisecond. */
    @Test
    void readsTsids() {
        IdLayout layout = ForeignLayout.named("tsid");

        assertThat(layout.instantOf(38352658567418867L)).isEqualTo("2020-04-15T19:59:46.360Z");
        assertThat(layout.instantOf(38352658573940759L)).isEqualTo("2020-04-15T19:59:46.361Z");
        assertThat(layout.parse(38352658567418868L).sequence() - layout.parse(38352658567418867L).sequence()).isOne();
    }

    /** Of a test of SawdustSoftware/simpleflake: 1,234,321 s after its epoch. */
    @Test
    void readsSimpleflakes() {
        assertThat(ForeignLayout.named("simpleflake").parse(1_234_321_000L << 23 | 17))
            .isEqualTo(new IdParts(Instant.ofEpochSecond(946702800 + 1_234_321), 0, 0, 17));
    }

}
