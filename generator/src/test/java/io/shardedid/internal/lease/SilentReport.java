package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.List;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import org.jspecify.annotations.Nullable;

/** A report that nobody hears. */
class SilentReport extends LeaseReport {

    SilentReport(EngineTerms terms, LeaseSettings leaseSettings) {
        super(terms, leaseSettings, List.of());
    }

    @Override
    void held(RequestedLease lease, boolean fresh, LeaseReply.@Nullable Rows before) {
    }

    @Override
    void started(Duration databaseAhead) {
    }

    @Override
    void ended(int worker, long nanos) {
    }

    @Override
    void idsGoOn(RequestedLease lease, long now) {
    }

    @Override
    void stoodStill(Duration length) {
    }

    @Override
    void lost(int worker, String why) {
    }

    @Override
    void failed(Exception cause) {
    }

    @Override
    void unwritten(int worker, Exception cause) {
    }

    @Override
    void waiting(LeaseState obstacle, LeaseReply.Rows rows) {
    }

    @Override
    void skewed(Duration databaseAhead) {
    }

    @Override
    void releasing(int worker) {
    }

    @Override
    void released(int worker) {
    }

    @Override
    void abandoned(int worker, String why) {
    }

    @Override
    void violated(int worker, long fromTick, long endTick, String why) {
    }

}
