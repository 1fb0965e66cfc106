package io.shardedid.internal.lease;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.WorkerIdRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which row a process takes.
 */
class WorkerChoiceTest {

    private static final long NOW = 1000;

    private static final long TICK = 500;

    private final SplittableRandom random = new SplittableRandom(1);

    /** Processes that start at once would all ask for the same row otherwise. */
    @Test
    void takesEachFreeRowByChance() {
        WorkerChoice choice = new WorkerChoice(31, new WorkerIdRange(0, 30));
        LeaseReply.Rows rows = rows(Stream.concat(IntStream.range(0, 10).mapToObj((worker) -> row(worker, worker, 0)),
                Stream.of(row(10, NOW, 0), row(11, 0, TICK + 1), row(LeaseRow.LAYOUT, 0, 0), row(31, 0, 0))));

        Set<Integer> taken = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            taken.add(choice.free(rows, NOW, TICK, this.random).orElseThrow().worker());
        }
        assertThat(taken).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void takesNoRowWhereNoneIsFree() {
        WorkerChoice choice = new WorkerChoice(31, new WorkerIdRange(0, 30));

        assertThat(choice.free(rows(Stream.of(row(0, NOW, 0))), NOW, TICK, this.random)).isEmpty();
    }

    @Test
    void considersOnlyTheWantedRow() {
        WorkerChoice choice = new WorkerChoice(31, new WorkerIdRange(4, 4));
        LeaseReply.Rows rows = rows(IntStream.range(0, 10).mapToObj((worker) -> row(worker, 0, 0)));

        assertThat(choice.free(rows, NOW, TICK, this.random)).contains(row(4, 0, 0));
        assertThat(choice.unused(rows, 1, this.random)).isEmpty();
        assertThat(choice.unused(rows(Stream.of(row(0, 0, 0))), 8, this.random)).hasValue(4);
    }

    @Test
    void makesMissingRowsFromTheLowestNumber() {
        WorkerChoice choice = new WorkerChoice(3, new WorkerIdRange(0, 2));
        LeaseReply.Rows rows = rows(Stream.of(row(LeaseRow.LAYOUT, 0, 0), row(0, NOW, 0), row(2, NOW, 0)));
        LeaseReply.Rows full = rows(IntStream.range(0, 4).mapToObj((worker) -> row(worker, NOW, 0)));

        assertThat(choice.unused(rows, 1, this.random)).hasValue(1);
        assertThat(choice.unused(full, 8, this.random)).isEmpty();
    }

    @Test
    void makesOneOfTheLowestMissingRowsWhereOthersMadeTheLowest() {
        WorkerChoice choice = new WorkerChoice(31, new WorkerIdRange(0, 30));
        LeaseReply.Rows rows = rows(Stream.of(row(0, NOW, 0), row(2, NOW, 0)));

        Set<Integer> made = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            made.add(choice.unused(rows, 4, this.random).orElseThrow());
        }
        assertThat(made).containsExactlyInAnyOrder(1, 3, 4, 5);
    }

    private static LeaseReply.Rows rows(Stream<LeaseRow> rows) {
        return new LeaseReply.Rows(NOW, rows.toList());
    }

    private static LeaseRow row(int worker, long leaseUntil, long hwmTick) {
        return new LeaseRow(worker, "token", 1, leaseUntil, hwmTick, null, null);
    }

}
