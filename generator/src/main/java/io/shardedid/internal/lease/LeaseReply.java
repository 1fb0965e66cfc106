package io.shardedid.internal.lease;

import java.util.List;
import java.util.Optional;

/** What came of a statement. */
public sealed interface LeaseReply {

    /**
     * Rows were read.
     *
     * @param databaseMillis the clock of the store, in milliseconds since 1970
     * @param rows the rows, by worker id; empty if there are none
     */
    record Rows(long databaseMillis, List<LeaseRow> rows) implements LeaseReply {

        /**
         * Returns the row of a worker id.
         * @param worker the worker id, or {@link LeaseRow#LAYOUT}
         * @return the row, or empty if the reply has none
         */
        public Optional<LeaseRow> row(int worker) {
            return this.rows.stream().filter((row) -> row.worker() == worker).findFirst();
        }

    }

    /**
     * A write was acknowledged.
     *
     * @param rows how many rows it changed
     */
    record Written(int rows) implements LeaseReply {
    }

    /** An insert met a row that was there already: it certainly did not happen. */
    record DuplicateKey() implements LeaseReply {
    }

    /**
     * No answer, an error, or an answer that does not confirm the write: it may have
     * happened, may happen yet, and may be lost again although reads show it.
     *
     * @param cause what the driver or the client said
     */
    record Unknown(Exception cause) implements LeaseReply {
    }

}
