package io.shardedid.internal.lease;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import io.shardedid.WorkerIdRange;

/**
 * Which row to take: a free one, by chance, so that processes that start at once ask for
 * different ones, else one of the lowest that do not exist yet.
 *
 * @param workers how many worker ids there are
 * @param wanted those to consider
 */
record WorkerChoice(int workers, WorkerIdRange wanted) {

    /**
     * Returns the row to take over.
     * @param beforeMillis a row whose lease_until is not before it is still leased
     * @param latestTick a row whose hwm_tick lies beyond it would start too far in the
     * future
     */
    Optional<LeaseRow> free(LeaseReply.Rows rows, long beforeMillis, long latestTick, RandomGenerator random) {
        List<LeaseRow> free = candidates(rows).stream()
            .filter((row) -> row.leaseUntilMillis() < beforeMillis && row.hwmTick() <= latestTick)
            .toList();
        return free.isEmpty() ? Optional.empty() : Optional.of(free.get(random.nextInt(free.size())));
    }

    /**
     * Returns a worker id that has no row: the lowest one, or by chance one of more that
     * follow it, for a process that has lost the lowest to others.
     * @param among how many to choose from
     */
    OptionalInt unused(LeaseReply.Rows rows, int among, RandomGenerator random) {
        BitSet known = new BitSet(this.workers);
        workers(rows).forEach((row) -> known.set(row.worker()));
        int[] unused = IntStream.rangeClosed(this.wanted.first(), this.wanted.last())
            .filter((worker) -> !known.get(worker))
            .limit(among)
            .toArray();
        return (unused.length == 0) ? OptionalInt.empty() : OptionalInt.of(unused[random.nextInt(unused.length)]);
    }

    /** The rows of worker ids: neither the layout row nor the database's own id. */
    List<LeaseRow> candidates(LeaseReply.Rows rows) {
        return workers(rows).stream().filter((row) -> this.wanted.contains(row.worker())).toList();
    }

    /** The rows of all worker ids, also of those that are not considered. */
    List<LeaseRow> workers(LeaseReply.Rows rows) {
        return rows.rows().stream().filter((row) -> row.worker() >= 0 && row.worker() < this.workers).toList();
    }

}
