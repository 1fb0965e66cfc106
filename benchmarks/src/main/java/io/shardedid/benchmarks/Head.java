package io.shardedid.benchmarks;

import java.io.IOException;
import java.time.LocalDate;

/**
 * Where, on what and how something was measured.
 *
 * @param markdown the head of a page
 */
record Head(String markdown) {

    private static final String OF_SPEED = """
            | JMH | %s rounds, each in JVMs of its own; %s × %s to warm up, %s measured; what no figure needs: 1 round |
            | layout of `next` | 29 time, 13 shard, 1 worker, 20 sequence: its ceiling is far |
            | layout of rows | the standard one where nothing else is said |
            | rows | batches of 50, transactions of 1,000; PostgreSQL and MariaDB do not wait for the disk |
            """;

    static Head of(Scale scale, String arguments) throws IOException {
        String machine = """
                # Measured on %s

                | | |
                |---|---|
                | CPU | %s, %s processors |
                | JDK | %s |
                | system | %s, load before the run %s |
                | commit | %s |
                | command | `mvn -Pproof -pl benchmarks -am verify -DskipTests -Dbenchmarks=%s` |
                """.formatted(LocalDate.now(), Machine.cpu(), Runtime.getRuntime().availableProcessors(), Machine.jdk(),
                Machine.system(), Machine.load(), Machine.commit(),
                arguments.contains(" ") ? "\"" + arguments + "\"" : arguments);
        return new Head(machine + OF_SPEED.formatted(scale.rounds(), scale.warmUpIterations(), scale.iteration(),
                scale.measuredIterations()));
    }

}
