package io.shardedid.cli;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.shardedid.IdLayout;

/**
 * Layouts of other systems whose ids can be read, and not made: nothing in them keeps the
 * processes of an application apart.
 */
enum ForeignLayout {

    /**
     * Worker and process, 5 bits each, are one field here. Source: Discord's API
     * reference.
     */
    DISCORD("2015-01-01T00:00:00Z", 41, 10, 12, "its worker and process ids are given by Discord"),

    /** Source: Mastodon's lib/mastodon/snowflake.rb. */
    MASTODON("1970-01-01T00:00:00Z", 47, 0, 16,
            "its low 16 bits are a sequence of the database with a hash in it, and name no process"),

    /** The default of 10 node bits. Source: the documentation of tsid-creator. */
    TSID("2020-01-01T00:00:00Z", 41, 10, 12,
            "its node is drawn at random unless set, and the width of that is each application's own"),

    /** 23 random bits, as its code has them. Source: SawdustSoftware/simpleflake. */
    SIMPLEFLAKE("2000-01-01T05:00:00Z", 40, 0, 23,
            "it has 23 random bits and no worker: about 3,400 ids in one millisecond collide as likely as not");

    private final IdLayout layout;

    private final String whyReadOnly;

    ForeignLayout(String epoch, int timeBits, int workerBits, int sequenceBits, String whyReadOnly) {
        this.layout = IdLayout.builder()
            .epoch(Instant.parse(epoch))
            .timeBits(timeBits)
            .shardBits(0)
            .workerBits(workerBits)
            .sequenceBits(sequenceBits)
            .build();
        this.whyReadOnly = whyReadOnly;
    }

    IdLayout layout() {
        return this.layout;
    }

    String whyReadOnly() {
        return this.whyReadOnly;
    }

    String externalName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns a layout of another system, or a preset of our own.
     * @throws IllegalArgumentException if there is none of this name
     */
    static IdLayout named(String name) {
        for (ForeignLayout foreign : values()) {
            if (foreign.externalName().equals(name)) {
                return foreign.layout;
            }
        }
        if (IdLayout.presetNames().contains(name)) {
            return IdLayout.preset(name);
        }
        throw new IllegalArgumentException(
                "layout must be one of %s: layout='%s'".formatted(String.join(", ", names()), name));
    }

    private static List<String> names() {
        return Stream
            .concat(IdLayout.presetNames().stream(),
                    Stream.concat(Arrays.stream(values()).map(ForeignLayout::externalName), Stream.of(Flake.NAME)))
            .toList();
    }

}
