package io.shardedid.benchmarks;

import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * What is printed while it runs, and how long each part took.
 */
final class Progress {

    private final long beganNanos = System.nanoTime();

    private final List<String> parts = new ArrayList<>();

    private long partBeganNanos = this.beganNanos;

    /** Prints a line, with the time of day. */
    void line(String text) {
        System.out.printf("%s  %s%n", LocalTime.now().truncatedTo(ChronoUnit.SECONDS), text);
    }

    /** A part has ended; what follows belongs to the next one. */
    void done(String part) {
        long now = System.nanoTime();
        String took = "%s: %s s".formatted(part, Duration.ofNanos(now - this.partBeganNanos).toSeconds());
        this.partBeganNanos = now;
        this.parts.add(took);
        line("--- %s, %s s since the start".formatted(took, Duration.ofNanos(now - this.beganNanos).toSeconds()));
    }

    List<String> parts() {
        return this.parts;
    }

}
