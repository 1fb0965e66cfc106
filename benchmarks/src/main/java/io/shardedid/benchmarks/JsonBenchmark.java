package io.shardedid.benchmarks;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.shardedid.IdLayout;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.jackson.ShardedIdJacksonModule;
import io.shardedid.jackson.UnmarkedNumbers;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A list of 100 records written as JSON, with and without the check for ids that leave as
 * numbers: a record of it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class JsonBenchmark {

    private static final int RECORDS = 100;

    @Param({ "3", "2" })
    private String jackson = "3";

    @Param({ "ids", "hashes", "small" })
    private String members = "ids";

    @Param({ "unchecked", "checked" })
    private String numbers = "checked";

    private Callable<byte[]> mapper = () -> new byte[0];

    /** Makes the mapper, and what it writes. */
    @Setup
    public void prepare() {
        IdLayout layout = IdLayout.standard();
        Clock clock = Clock.systemUTC();
        UnmarkedNumbers unmarked = this.numbers.equals("checked")
                ? UnmarkedNumbers.watched(
                        (number) -> layout.shardOf(number) < 2000
                                && layout.tickOf(number) <= layout.tickAtEpochNanos(clock.millis() * 1_000_000),
                        () -> null)
                : UnmarkedNumbers.asTheyAre();
        long first = layout.firstIdAt(clock.instant().minusSeconds(RECORDS));
        Random random = new Random(1);
        List<View> views = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            long number = switch (this.members) {
                case "ids" -> first + i;
                case "hashes" -> random.nextLong() & Long.MAX_VALUE;
                default -> i;
            };
            views.add(new View(number, number + 1, clock.millis(), i, "caption " + i));
        }
        this.mapper = this.jackson.equals("3") ? jackson3(unmarked, views) : jackson2(unmarked, views);
    }

    private static Callable<byte[]> jackson3(UnmarkedNumbers unmarked, List<View> views) {
        tools.jackson.databind.json.JsonMapper mapper = tools.jackson.databind.json.JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(unmarked))
            .build();
        return () -> mapper.writeValueAsBytes(views);
    }

    private static Callable<byte[]> jackson2(UnmarkedNumbers unmarked, List<View> views) {
        com.fasterxml.jackson.databind.json.JsonMapper mapper = com.fasterxml.jackson.databind.json.JsonMapper.builder()
            .addModule(new ShardedIdJackson2Module(unmarked))
            .build();
        return () -> mapper.writeValueAsBytes(views);
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public byte[] write() throws Exception {
        return this.mapper.call();
    }

    record View(long id, long authorId, long takenAt, int likes, String caption) {
    }

}
