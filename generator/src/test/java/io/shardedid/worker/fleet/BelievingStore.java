package io.shardedid.worker.fleet;

import java.sql.SQLException;
import java.util.Optional;

import io.shardedid.WorkerLeaseException;
import io.shardedid.worker.LeaseReply;
import io.shardedid.worker.LeaseStatement;
import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.StorePromise;
import io.shardedid.worker.table.ConfirmedCommit;

/**
 * A broken store, which must make equal ids: it takes a write for confirmed about which
 * the server has said that it is not.
 */
record BelievingStore(LeaseStore store) implements LeaseStore {

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        LeaseReply reply = this.store.execute(statement);
        return (reply instanceof LeaseReply.Unknown unknown && unknown.cause() instanceof SQLException cause
                && ConfirmedCommit.UNKNOWN.equals(cause.getSQLState())) ? new LeaseReply.Written(1) : reply;
    }

    @Override
    public void ensure() {
        this.store.ensure();
    }

    @Override
    public boolean canPass(WorkerLeaseException failure) {
        return this.store.canPass(failure);
    }

    @Override
    public StorePromise promise() {
        return this.store.promise();
    }

    @Override
    public String describe() {
        return this.store.describe();
    }

    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        return this.store.unwrap(type);
    }

    @Override
    public void disconnect() {
        this.store.disconnect();
    }

    @Override
    public void close() {
        this.store.close();
    }

}
