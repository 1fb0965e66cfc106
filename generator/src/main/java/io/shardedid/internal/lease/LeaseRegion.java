package io.shardedid.internal.lease;

import java.util.Optional;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;

/**
 * What a lease table says about itself, for those who compare tables whose rows meet.
 *
 * @param name what the operator calls it
 * @param layout the layout, the number of shards and the shard function of its ids
 * @param workers the worker ids that it gives out
 */
public record LeaseRegion(String name, String layout, WorkerIdRange workers) {

    /**
     * Reads the layout row of a lease table, and closes the store.
     * @return what it says
     * @throws ShardedIdConfigurationException if there is no such table, or it is closed
     * @throws WorkerLeaseException if the store did not answer
     */
    public static LeaseRegion read(String name, LeaseStore store) {
        try (store) {
            LeaseReply reply = store.execute(new LeaseStatement.ReadOne(LeaseRow.LAYOUT));
            if (!(reply instanceof LeaseReply.Rows rows)) {
                Exception cause = (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null;
                throw new WorkerLeaseException("Could not read the lease table of '%s': %s did not answer; start it"
                    .formatted(name, store.describe()), cause);
            }
            LeaseRow row = rows.row(LeaseRow.LAYOUT)
                .orElseThrow(() -> new ShardedIdConfigurationException(
                        "Could not read the lease table of '%s': it has no layout row".formatted(name),
                        "start the application, which makes it, or correct the file"));
            return of(name, row).orElseThrow(() -> new ShardedIdConfigurationException(
                    "Could not read the lease table of '%s': it is closed: [%s]".formatted(name, row.layout()),
                    "run 'inspector change' to its end"));
        }
    }

    /**
     * Reads a layout row.
     * @return what it says, or empty if the table is closed
     */
    public static Optional<LeaseRegion> of(String name, LeaseRow row) {
        LayoutText text = LayoutText.parse(row.layout());
        return text.closed() ? Optional.empty()
                : Optional.of(new LeaseRegion(name, text.fingerprint(), text.workers()));
    }

    /**
     * Returns why processes of two tables may make duplicate ids, or look for one row in
     * two shards.
     * @return a text, or empty if they go together
     */
    public Optional<String> problemWith(LeaseRegion other) {
        if (!this.layout.equals(other.layout)) {
            return Optional.of("another layout than " + other.name);
        }
        boolean overlap = this.workers.first() <= other.workers.last() && other.workers.first() <= this.workers.last();
        return overlap ? Optional.of("some of these worker ids belong to " + other.name + ", too") : Optional.empty();
    }

}
