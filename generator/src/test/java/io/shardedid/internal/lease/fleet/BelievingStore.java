package io.shardedid.internal.lease.fleet;

import java.sql.SQLException;

import io.shardedid.internal.lease.ForwardingStore;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.ConfirmedCommit;

/**
 * A broken store, which must make duplicate ids: it takes a write for confirmed about
 * which the server has said that it is not.
 */
final class BelievingStore extends ForwardingStore {

    BelievingStore(LeaseStore store) {
        super(store);
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        LeaseReply reply = super.execute(statement);
        return (reply instanceof LeaseReply.Unknown unknown && unknown.cause() instanceof SQLException cause
                && ConfirmedCommit.UNKNOWN.equals(cause.getSQLState())) ? new LeaseReply.Written(1) : reply;
    }

}
