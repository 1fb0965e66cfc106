package io.shardedid.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdConfigurationException;

/**
 * Reads the layout back out of a fingerprint.
 */
final class Fingerprint {

    private Fingerprint() {
    }

    static IdLayout layout(String fingerprint) {
        IdLayout.Builder builder = IdLayout.builder();
        List<IdField> order = new ArrayList<>();
        try {
            for (String part : fingerprint.split(",")) {
                String name = part.substring(0, part.indexOf('='));
                String value = part.substring(part.indexOf('=') + 1);
                switch (name) {
                    case "epoch" -> builder.epoch(Instant.parse(value));
                    case "tick" -> builder.tick(Duration.parse(value));
                    case "time" -> builder.timeBits(Integer.parseInt(value));
                    case "shard" -> builder.shardBits(Integer.parseInt(value));
                    case "worker" -> builder.workerBits(Integer.parseInt(value));
                    case "sequence" -> builder.sequenceBits(Integer.parseInt(value));
                    default -> {
                        // the number of shards and their function are no part of the
                        // layout
                    }
                }
                if (name.equals("shard") || name.equals("worker") || name.equals("sequence")) {
                    order.add(IdField.valueOf(name.toUpperCase(Locale.ROOT)));
                }
            }
            return builder.order(order.toArray(IdField[]::new)).build();
        }
        catch (RuntimeException ex) {
            throw new ShardedIdConfigurationException(
                    "Could not read a layout: fingerprint='%s'; was the row made by a later version?"
                        .formatted(fingerprint),
                    ex);
        }
    }

}
