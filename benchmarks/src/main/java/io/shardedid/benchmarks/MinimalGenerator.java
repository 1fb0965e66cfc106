package io.shardedid.benchmarks;

import java.io.Serial;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.IdLayout;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;

/**
 * The least that a generator of such ids can do: ids of the standard layout in 2,000
 * shards from one counter, which it does not check, lease or keep.
 */
public final class MinimalGenerator implements BeforeExecutionGenerator {

    @Serial
    private static final long serialVersionUID = 1;

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final int SHARDS = 2000;

    private static final int IDS_IN_A_MILLISECOND = 32;

    private static final AtomicLong LAST = new AtomicLong();

    @Override
    public Object generate(SharedSessionContractImplementor session, Object owner, Object currentValue,
            EventType eventType) {
        long last = LAST.incrementAndGet();
        return LAYOUT.compose(last / IDS_IN_A_MILLISECOND, (int) (((Rows.Row) owner).userId % SHARDS), 0,
                (int) (last % IDS_IN_A_MILLISECOND));
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EventTypeSets.INSERT_ONLY;
    }

}
