package io.shardedid.spring.test;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.test.TestClock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Lets each test method begin at an hour of its own, later than all ids that were made
 * before it. Not thread-safe: methods of one context run one after the other.
 */
final class TestMethods implements SmartInitializingSingleton {

    private final TestClock clock;

    private final ObjectProvider<ShardedIdEngine> engines;

    private final Instant start;

    private long issued;

    TestMethods(TestClock clock, ObjectProvider<ShardedIdEngine> engines) {
        this.clock = clock;
        this.engines = engines;
        this.start = clock.instant();
    }

    /** An engine that the application opens itself would make other ids in each run. */
    @Override
    public void afterSingletonsInstantiated() {
        this.engines.forEach((ids) -> {
            if (ids.terms().time() != this.clock) {
                throw new IllegalStateException(
                        "'@PredictableIds' must find engines that it can set: a bean of type 'ShardedIds' was opened by "
                                + "the application; inject 'TestWorker' and 'TestClock' there, or leave the bean to "
                                + "the starter");
            }
        });
    }

    void next() {
        long made = this.engines.stream().mapToLong((ids) -> ids.stats().issued()).sum();
        Duration ahead = this.engines.stream()
            .map((ids) -> ids.stats().ahead())
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO);
        Duration used = Duration.between(this.start, this.clock.instant().plus(ahead));
        Duration begun = Duration.ofHours(used.toHours());
        if (made != this.issued || !used.equals(begun)) {
            this.clock.set(this.start.plus(begun.plusHours(1)));
        }
        this.issued = made;
    }

}
