package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** A wall clock that is wrong, before and while ids are made. */
class WallClockTest {

    private static final Pattern REFUSED = Pattern.compile(
            "Could not lease a worker id: the clock of the database is (\\d+\\w+) (ahead of|behind) the clock of this "
                    + "machine \\(shardedid\\.clock\\.max-skew=1h\\); correct the clock that is wrong");

    private static final String NAMESPACE = "wall-clock";

    private static final LeaseSettings SETTINGS = LeaseSettings.builder()
        .namespace(NAMESPACE)
        .renewEvery(Duration.ofMillis(200))
        .startupTimeout(Duration.ofSeconds(60))
        .owner("me")
        .build();

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final OffsetTime time = new OffsetTime();

    private final AtomicInteger renewals = new AtomicInteger();

    private final AtomicInteger warnings = new AtomicInteger();

    private final Thread tester = Thread.currentThread();

    /** Hears this thread and its keeper; engines of other tests may still run. */
    private final Handler log = new Handler() {
        @Override
        public void publish(LogRecord line) {
            Thread writer = Thread.currentThread();
            if (line.getLevel().intValue() >= Level.WARNING.intValue() && (writer == WallClockTest.this.tester
                    || writer.getName().equals("shardedid-lease-" + NAMESPACE))) {
                WallClockTest.this.warnings.incrementAndGet();
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    @AfterEach
    void leavesNothing() {
        Logger.getLogger("io.shardedid").removeHandler(this.log);
        this.database.execute("SHUTDOWN");
    }

    private ShardedIdEngine open() {
        return SeparateProcess.open(ShardedIds.builder()
            .timeSource(this.time)
            .workers(JdbcLeases.leased(SETTINGS, LeaseConnections.url(this.database.url(), "sa", ""),
                    "shardedid_worker", SchemaInitialization.ALWAYS, List.of(new WorkerLeaseListener() {
                        @Override
                        public void renewed(WorkerLease lease) {
                            WallClockTest.this.renewals.incrementAndGet();
                        }
                    }))));
    }

    @Test
    void stepsUnderALiveProcessChangeNothing() {
        Logger.getLogger("io.shardedid").addHandler(this.log);
        long last = 0;
        try (ShardedIdEngine ids = open()) {
            for (Duration step : List.of(Duration.ofSeconds(5), Duration.ofSeconds(-5), Duration.ofDays(365),
                    Duration.ofDays(-365), Duration.ofDays(-20_000), Duration.ZERO)) {
                this.time.stepTo(step);
                int renewed = this.renewals.get();
                while (this.renewals.get() == renewed) {
                    Instant before = ids.clock().instant();
                    long id = ids.next(5);
                    Instant after = ids.clock().instant();
                    assertThat(id).as("id after a step of %s", step).isGreaterThan(last);
                    assertThat(ids.parse(id).instant()).as("time of an id after a step of %s", step)
                        .isBetween(before.minusSeconds(1), after.plusSeconds(1));
                    last = id;
                }
            }
        }
        assertThat(this.warnings).hasValue(0);
    }

    @Test
    void refusesToStartOnAClockThatIsTooFarOff() {
        this.time.stepTo(Duration.ofHours(2));
        assertThat(refusedSkew()).isCloseTo(Duration.ofHours(-2), Duration.ofMinutes(1));
        this.time.stepTo(Duration.ofHours(-2));
        assertThat(refusedSkew()).isCloseTo(Duration.ofHours(2), Duration.ofMinutes(1));
        this.time.stepTo(Duration.ZERO);
        try (ShardedIdEngine ids = open()) {
            assertThat(ids.next(1)).isPositive();
        }
    }

    /**
     * How far the database is ahead, as the refusal says; the two clocks are never read
     * in one moment.
     */
    private Duration refusedSkew() {
        Matcher message = REFUSED.matcher(catchThrowableOfType(WorkerLeaseException.class, this::open).getMessage());
        assertThat(message.matches()).as(message::toString).isTrue();
        Duration apart = (Duration) ShardedIdKey.CLOCK_MAX_SKEW.read(message.group(1));
        assertThat(apart).isPositive();
        return message.group(2).equals("behind") ? apart.negated() : apart;
    }

    @Test
    void warnsOnceOfAClockThatIsALittleOff() {
        Logger.getLogger("io.shardedid").addHandler(this.log);
        this.time.stepTo(Duration.ofMinutes(1));
        try (ShardedIdEngine ids = open()) {
            assertThat(ids.next(1)).isPositive();
            int renewed = this.renewals.get();
            while (this.renewals.get() < renewed + 2) {
                ids.next(1);
            }
        }
        assertThat(this.warnings).hasValue(1);
    }

    /** The time of the system with a wall clock that can be stepped. */
    static final class OffsetTime extends TimeSource {

        private volatile long offsetNanos;

        void stepTo(Duration offset) {
            this.offsetNanos = offset.toNanos();
        }

        @Override
        public long nanoTime() {
            return TimeSource.system().nanoTime();
        }

        @Override
        public long epochNanos() {
            return TimeSource.system().epochNanos() + this.offsetNanos;
        }

        @Override
        public void park(long nanos) {
            TimeSource.system().park(nanos);
        }

    }

}
