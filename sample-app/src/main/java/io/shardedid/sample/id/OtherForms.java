package io.shardedid.sample.id;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;

/**
 * Writes what an id says in the forms of other systems. Sources: Instagram Engineering
 * (2012), Twitter's Snowflake (2010), RFC 9562 for UUIDv7.
 */
final class OtherForms {

    private static final IdLayout INSTAGRAM = IdLayout.builder()
        .epoch(Instant.ofEpochMilli(1_314_220_021_721L))
        .shardBits(13)
        .workerBits(0)
        .sequenceBits(10)
        .build();

    private static final IdLayout SNOWFLAKE = IdLayout.builder()
        .epoch(Instant.ofEpochMilli(1_288_834_974_657L))
        .timeBits(41)
        .shardBits(0)
        .workerBits(10)
        .sequenceBits(12)
        .build();

    private OtherForms() {
    }

    static List<IdView.OtherForm> of(IdParts parts) {
        List<IdView.OtherForm> forms = new ArrayList<>();
        add(forms, "Instagram", "41 time from 2011 · 13 shard · 10 sequence", INSTAGRAM, parts, (tick) -> INSTAGRAM
            .compose(tick, parts.shard() & 0x1FFF, 0, (parts.worker() << 5 | parts.sequence() & 0x1F) & 0x3FF));
        add(forms, "Snowflake", "41 time from 2010 · 10 worker · 12 sequence; it has no shard", SNOWFLAKE, parts,
                (tick) -> SNOWFLAKE.compose(tick, 0, parts.worker() & 0x3FF, parts.sequence() & 0xFFF));
        forms.add(new IdView.OtherForm("UUIDv7", uuid(parts),
                "48 time from 1970, then random bits, here 0; the UUIDs of ShardedId carry sequence, shard and worker id there"));
        return List.copyOf(forms);
    }

    private static void add(List<IdView.OtherForm> forms, String system, String form, IdLayout layout, IdParts parts,
            ToLongFunction<Long> compose) {
        if (parts.instant().isBefore(layout.epoch()) || parts.instant().isAfter(layout.lastUsableInstant())) {
            return;
        }
        forms.add(
                new IdView.OtherForm(system, Long.toString(compose.applyAsLong(layout.tickAt(parts.instant()))), form));
    }

    private static String uuid(IdParts parts) {
        return new UUID(parts.instant().toEpochMilli() << 16 | 0x7000, 0x8000_0000_0000_0000L).toString();
    }

}
