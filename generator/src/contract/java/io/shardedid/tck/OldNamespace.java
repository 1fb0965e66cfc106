package io.shardedid.tck;

import io.shardedid.IdLayout;
import io.shardedid.TimeSource;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A namespace whose layout row is older than a minute, so that processes that tolerate
 * lost commits do not wait for that.
 */
public final class OldNamespace {

    private static final long AGE_NANOS = 120_000_000_000L;

    private OldNamespace() {
    }

    /**
     * Makes the layout row, and closes the store.
     * @param store the rows of the namespace, which has none
     * @param layout the layout of the ids
     * @param shards the number of shards
     */
    public static void make(LeaseStore store, IdLayout layout, int shards) {
        try (store) {
            store.ensure();
            String text = "%s,shards=%s,function=modulo,mode=tolerant,workers=0-%s".formatted(layout.fingerprint(),
                    shards, (1 << layout.workerBits()) - 2);
            LeaseRow row = new LeaseRow(LeaseRow.LAYOUT, "old", 0, 0,
                    layout.tickAtEpochNanos(TimeSource.system().epochNanos() - AGE_NANOS), null, text);
            assertThat(store.execute(new LeaseStatement.Insert(row, null))).isEqualTo(new LeaseReply.Written(1));
        }
    }

}
