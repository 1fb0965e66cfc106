package io.shardedid.sample.feed;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import io.shardedid.ShardedIds;

import org.springframework.stereotype.Component;

/**
 * Says how long ago something was. Templates call it by its name.
 */
@Component("ages")
class Ages {

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("d MMM uuuu", Locale.ENGLISH)
        .withZone(ZoneOffset.UTC);

    private final ShardedIds ids;

    Ages(ShardedIds ids) {
        this.ids = ids;
    }

    public String ago(Instant instant) {
        Duration age = Duration.between(instant, this.ids.clock().instant());
        if (age.compareTo(Duration.ofMinutes(1)) < 0) {
            return "just now";
        }
        if (age.compareTo(Duration.ofHours(1)) < 0) {
            return age.toMinutes() + " min ago";
        }
        return (age.compareTo(Duration.ofDays(1)) < 0) ? age.toHours() + " h ago" : DATE.format(instant);
    }

}
