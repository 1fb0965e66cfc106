package io.shardedid.sample.laboratory;

/**
 * What a ledger has seen.
 *
 * @param acknowledged rows that the database acknowledged
 * @param counted rows that were there when they were last counted, without those that
 * were never acknowledged
 * @param lost acknowledged rows that were missing then
 * @param doubled ids that were there already
 * @param backwards ids that were not larger than the one before
 * @param retries rounds without an answer; the next one has another id
 */
record LedgerView(long acknowledged, long counted, long lost, long doubled, long backwards, long retries) {

    static final LedgerView EMPTY = new LedgerView(0, 0, 0, 0, 0, 0);

    LedgerView withRow(boolean backward) {
        return new LedgerView(this.acknowledged + 1, this.counted, this.lost, this.doubled,
                this.backwards + (backward ? 1 : 0), this.retries);
    }

    LedgerView withDoubled() {
        return new LedgerView(this.acknowledged, this.counted, this.lost, this.doubled + 1, this.backwards,
                this.retries);
    }

    LedgerView withRetry() {
        return new LedgerView(this.acknowledged, this.counted, this.lost, this.doubled, this.backwards,
                this.retries + 1);
    }

    LedgerView counted(long rows) {
        return new LedgerView(this.acknowledged, rows, Math.max(0, this.acknowledged - rows), this.doubled,
                this.backwards, this.retries);
    }

}
