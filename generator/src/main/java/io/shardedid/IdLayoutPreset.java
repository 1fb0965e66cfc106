package io.shardedid;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The presets by the names under which configuration knows them: our own, and those of
 * other systems.
 *
 * <p>
 * Where another system counts time with the sign bit, the layout here has one time bit
 * less: such ids are read until they would turn negative, decades after its epoch.
 */
enum IdLayoutPreset {

    INSTAGRAM(IdLayout::instagram),

    INSTAGRAM_EXACT(IdLayout::instagramExact),

    FLEET(IdLayout::fleet),

    WIDE(IdLayout::wide),

    DENSE(IdLayout::dense),

    SNOWFLAKE(IdLayout::snowflake),

    SONYFLAKE(() -> IdLayout.sonyflake(Instant.parse("2014-09-01T00:00:00Z"))),

    /**
     * Worker and process, 5 bits each, are one field here. Source: Discord's API
     * reference.
     */
    DISCORD(() -> IdLayout.snowflake(Instant.parse("2015-01-01T00:00:00Z"), 10, 12),
            "its worker and process ids are given by Discord"),

    /** Source: Mastodon's lib/mastodon/snowflake.rb. */
    MASTODON(() -> readable(Instant.EPOCH, 47, 0, 16),
            "its low 16 bits are a sequence of the database with a hash in it, and name no process"),

    /** The default of 10 node bits. Source: the documentation of tsid-creator. */
    TSID(() -> readable(Instant.parse("2020-01-01T00:00:00Z"), 41, 10, 12),
            "its node is drawn at random unless set, and the width of that is each application's own"),

    /** 23 random bits, as its code has them. Source: SawdustSoftware/simpleflake. */
    SIMPLEFLAKE(() -> readable(Instant.ofEpochSecond(946702800), 40, 0, 23),
            "it has 23 random bits and no worker: about 3,400 ids in one millisecond collide as likely as not");

    private final Supplier<IdLayout> layout;

    IdLayoutPreset(Supplier<IdLayout> layout) {
        this.layout = layout;
    }

    IdLayoutPreset(Supplier<IdLayout> layout, String readOnlyReason) {
        this(() -> layout.get().toBuilder().readOnly(readOnlyReason).build());
    }

    private static IdLayout readable(Instant epoch, int timeBits, int workerBits, int sequenceBits) {
        return IdLayout.builder()
            .epoch(epoch)
            .timeBits(timeBits)
            .shardBits(0)
            .workerBits(workerBits)
            .sequenceBits(sequenceBits)
            .build();
    }

    IdLayout layout() {
        return this.layout.get();
    }

    String externalName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static List<String> names() {
        return Arrays.stream(values()).map(IdLayoutPreset::externalName).toList();
    }

    static IdLayoutPreset named(String name) {
        return Arrays.stream(values())
            .filter((preset) -> preset.externalName().equals(name))
            .findFirst()
            .orElseThrow(() -> new ShardedIdConfigurationException(
                    "layout preset must be one of %s: shardedid.layout.preset='%s'"
                        .formatted(String.join(", ", names()), name)));
    }

}
