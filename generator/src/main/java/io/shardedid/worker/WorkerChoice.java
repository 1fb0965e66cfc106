package io.shardedid.worker;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Which row to take: a free one, by chance, so that processes that start at once ask for
 * different ones, else the lowest that does not exist yet.
 *
 * @param workers how many worker ids there are
 * @param wanted the only one to consider, or empty for any
 */
record WorkerChoice(int workers, OptionalInt wanted) {

    /**
     * Returns the row to take over.
     * @param beforeMillis a row whose lease_until is not before it is still leased
     * @param latestTick a row whose hwm_tick lies beyond it would start too far in the
     * future
     */
    Optional<LeaseRow> free(LeaseReply.Rows rows, long beforeMillis, long latestTick, RandomGenerator random) {
        List<LeaseRow> free = candidates(rows).stream()
            .filter((row) -> row.leaseUntil() < beforeMillis && row.hwmTick() <= latestTick)
            .toList();
        return free.isEmpty() ? Optional.empty() : Optional.of(free.get(random.nextInt(free.size())));
    }

    /** Returns the lowest worker id that has no row. */
    OptionalInt unused(LeaseReply.Rows rows) {
        BitSet known = new BitSet(this.workers);
        workers(rows).forEach((row) -> known.set(row.worker()));
        return IntStream.range(0, this.workers)
            .filter((worker) -> considered(worker) && !known.get(worker))
            .findFirst();
    }

    /** The rows of worker ids: neither the layout row nor the database's own id. */
    List<LeaseRow> candidates(LeaseReply.Rows rows) {
        return workers(rows).stream().filter((row) -> considered(row.worker())).toList();
    }

    /** The rows of all worker ids, also of those that are not considered. */
    List<LeaseRow> workers(LeaseReply.Rows rows) {
        return rows.rows().stream().filter((row) -> row.worker() >= 0 && row.worker() < this.workers).toList();
    }

    private boolean considered(int worker) {
        return this.wanted.isEmpty() || this.wanted.getAsInt() == worker;
    }

}
