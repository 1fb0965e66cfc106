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
    public boolean isTransient(WorkerLeaseException failure) {
        return this.store.isTransient(failure);
    }

    @Override
    public Durability durability() {
        return this.store.durability();
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
