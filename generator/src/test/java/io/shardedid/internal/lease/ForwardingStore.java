package io.shardedid.internal.lease;

import io.shardedid.WorkerLeaseException;

/** A store that does what another one does, but for what a test lets it do otherwise. */
public class ForwardingStore implements LeaseStore {

    private final LeaseStore store;

    protected ForwardingStore(LeaseStore store) {
        this.store = store;
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        return this.store.execute(statement);
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
    public boolean reachedByThisProcessAlone() {
        return this.store.reachedByThisProcessAlone();
    }

    @Override
    public String describe() {
        return this.store.describe();
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
