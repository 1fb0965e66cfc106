package io.shardedid.worker;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Which row to take: a free one, the longest free first, else the lowest that does not
 * exist yet.
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
    Optional<LeaseRow> free(LeaseReply.Rows rows, long beforeMillis, long latestTick) {
        return candidates(rows).stream()
            .filter((row) -> row.leaseUntil() < beforeMillis && row.hwmTick() <= latestTick)
            .min(Comparator.comparingLong(LeaseRow::leaseUntil).thenComparingInt(LeaseRow::worker));
    }

    /** Returns the lowest worker id that has no row. */
    OptionalInt unused(LeaseReply.Rows rows) {
        return IntStream.range(0, this.workers)
            .filter(this::considered)
            .filter((worker) -> rows.row(worker).isEmpty())
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
