package io.shardedid.internal.lease;

import io.shardedid.WorkerLeaseException;

/**
 * The rows of a store, for what a command does between two stores while no process leases
 * from these rows. The command closes the store.
 *
 * @param place the store
 * @param what what is done, such as {@code move leases from … to …}
 * @param again what to do when it broke off
 */
record PlaceRows(LeaseHandOver.Place place, String what, String again) {

    private static final int READS = 4;

    /** The first answer may take longer than others: the client connects. */
    LeaseReply.Rows read() {
        Exception cause = null;
        for (int attempt = 0; attempt < READS; attempt++) {
            LeaseReply reply = this.place.store().execute(new LeaseStatement.ReadAll());
            if (reply instanceof LeaseReply.Rows rows) {
                return rows;
            }
            cause = (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null;
        }
        throw new WorkerLeaseException("Could not %s: the store of the %s did not answer (%s); start it"
            .formatted(this.what, this.place.name(), cause), true, this.again, cause);
    }

    /** Writes a row that nobody else writes. */
    void write(LeaseStatement statement) {
        LeaseReply reply = this.place.store().execute(statement);
        if (!new LeaseReply.Written(1).equals(reply)) {
            Exception cause = (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null;
            throw new WorkerLeaseException(
                    "Could not %s: the store of the %s %s; stop all processes, and repeat it".formatted(this.what,
                            this.place.name(), (cause != null) ? "did not answer: " + cause : "was changed meanwhile"),
                    true, this.again, cause);
        }
    }

}
