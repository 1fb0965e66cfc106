package io.shardedid;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The presets by the names under which configuration knows them: our own, and those of
 * other systems.
 *
 * <p>
 * Where another system counts time with the sign bit, the layout here has one time bit
 * less: such ids are read until they would turn negative, decades after its epoch.
 */
enum IdLayoutPreset {

    INSTAGRAM, INSTAGRAM_EXACT, FLEET, WIDE, DENSE, SNOWFLAKE, SONYFLAKE,

    /**
     * Worker and process, 5 bits each, are one field here. Source: Discord's API
     * reference.
     */
    DISCORD("its worker and process ids are given by Discord"),

    /** Source: Mastodon's lib/mastodon/snowflake.rb. */
    MASTODON("its low 16 bits are a sequence of the database with a hash in it, and name no process"),

    /** The default of 10 node bits. Source: the documentation of tsid-creator. */
    TSID("its node is drawn at random unless set, and the width of that is each application's own"),

    /** 23 random bits, as its code has them. Source: SawdustSoftware/simpleflake. */
    SIMPLEFLAKE("it has 23 random bits and no worker: about 3,400 ids in one millisecond collide as likely as not");

    /** Why no ids are made in this layout, or null. */
    private final @Nullable String readOnlyReason;

    IdLayoutPreset() {
        this(null);
    }

    IdLayoutPreset(@Nullable String readOnlyReason) {
        this.readOnlyReason = readOnlyReason;
    }

    IdLayout layout() {
        IdLayout layout = switch (this) {
            case INSTAGRAM -> IdLayout.instagram();
            case INSTAGRAM_EXACT -> IdLayout.instagramExact();
            case FLEET -> IdLayout.fleet();
            case WIDE -> IdLayout.wide();
            case DENSE -> IdLayout.dense();
            case SNOWFLAKE -> IdLayout.snowflake();
            case SONYFLAKE -> IdLayout.sonyflake(Instant.parse("2014-09-01T00:00:00Z"));
            case DISCORD -> IdLayout.snowflake(Instant.parse("2015-01-01T00:00:00Z"), 10, 12);
            case MASTODON -> readable(Instant.EPOCH, 47, 0, 16);
            case TSID -> readable(Instant.parse("2020-01-01T00:00:00Z"), 41, 10, 12);
            case SIMPLEFLAKE -> readable(Instant.ofEpochSecond(946702800), 40, 0, 23);
        };
        return (this.readOnlyReason != null) ? layout.toBuilder().readOnly(this.readOnlyReason).build() : layout;
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
