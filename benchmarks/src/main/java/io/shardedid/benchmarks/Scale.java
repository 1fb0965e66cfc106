package io.shardedid.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.openjdk.jmh.runner.options.TimeValue;

/**
 * How much is measured.
 */
enum Scale {

    /** Three quarters of an hour. */
    FULL(5, 1, TimeValue.milliseconds(400)),

    /** A quarter of an hour: only the figures of {@code next}, on any JDK. */
    NEXT(5, 1, TimeValue.milliseconds(400)),

    /** Two minutes: figures mean nothing, but everything runs. */
    SMOKE(1, 0, TimeValue.milliseconds(10));

    private final int rounds;

    private final int forks;

    private final TimeValue iteration;

    Scale(int rounds, int forks, TimeValue iteration) {
        this.rounds = rounds;
        this.forks = forks;
        this.iteration = iteration;
    }

    static Scale named(String name) {
        for (Scale scale : values()) {
            if (scale.externalName().equals(name)) {
                return scale;
            }
        }
        throw new IllegalArgumentException("benchmarks must be 'full', 'next' or 'smoke': benchmarks=" + name);
    }

    String externalName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The parts that are measured unless others are named. */
    List<String> parts() {
        List<String> speed = List.of("jmh", "persist", "start");
        return switch (this) {
            case FULL -> speed;
            case NEXT -> List.of("jmh");
            case SMOKE -> Stream.concat(speed.stream(), Stream.of("json")).toList();
        };
    }

    /** Whether the figures mean something. */
    boolean meant() {
        return this != SMOKE;
    }

    /** How often each figure is measured. */
    int rounds() {
        return this.rounds;
    }

    /** The JVMs of each JMH benchmark in a round. */
    int forks() {
        return this.forks;
    }

    TimeValue iteration() {
        return this.iteration;
    }

    List<Database> databases() {
        return meant() ? List.of(Database.values()) : List.of(Database.H2, Database.POSTGRESQL);
    }

    /** The rounds of inserts, after three to warm up. */
    int persistRounds(Database database) {
        return meant() ? (database == Database.POSTGRESQL) ? 17 : 7 : 1;
    }

    /**
     * How many rows each kind gets in a round: whole thousands. That makes a million in
     * PostgreSQL, half of it in MariaDB, and in H2 what fits its memory.
     */
    int rowsInRound(Database database) {
        return meant() ? database.remote() ? 50_000 : 20_000 : 1000;
    }

    /** How many rows each kind gets in a round behind a delay. */
    int rowsDelayed(int delayMillis) {
        return meant() ? (delayMillis > 1) ? 200 : 1000 : 50;
    }

    /** JDK 25 compiles the loop of a benchmark after two seconds. */
    int warmUpIterations() {
        return (this == NEXT) ? 7 : meant() ? 2 : 1;
    }

    int measuredIterations() {
        return meant() ? 5 : 1;
    }

}
