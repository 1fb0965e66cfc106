package io.shardedid.spring.boot;

import java.util.Map;

import io.shardedid.AssignedIdException;
import io.shardedid.EngineClosedException;
import io.shardedid.IdRangeSpentException;
import io.shardedid.IdsAheadOfClockException;
import io.shardedid.ShardKeyChangedException;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerIdsExhaustedException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerModeNoneException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a start that got no worker id, or no id for a row that it saves.
 */
final class RefusedIdFailureAnalyzer extends AbstractFailureAnalyzer<ShardedIdException> {

    /** By exception; what is not here has the action of its superclass. */
    private static final Map<Class<?>, String> ACTIONS = Map.of(WorkerIdsExhaustedException.class,
            "Stop instances that are not needed, or wait until the lease of a stopped one has run out "
                    + "('shardedid.worker.lease.window'). For more instances at once choose a layout with more worker "
                    + "bits before the first row exists ('shardedid.layout.preset', 'shardedid.layout.worker-bits').",
            WorkerModeNoneException.class,
            "Something makes an id while the application starts, and this process makes none. Remove that, or set "
                    + "'shardedid.worker.mode' to 'lease' or 'fixed'.",
            WorkerLeaseException.class,
            "Check that the database can be reached and that its user may read and write the lease table "
                    + "('shardedid.worker.lease.table'), then start again. No id was made and nothing was written.",
            ShardKeyException.class,
            "Set the shard key before the row is saved: '@PrePersist' and auditing run after its id is made, and a "
                    + "parent whose id is the shard key must be saved first.",
            ShardKeyChangedException.class,
            "Leave the shard key of a stored row in its shard, or insert the row anew and delete this one, or set "
                    + "'shardedid.on-key-change' to 'allow'.",
            AssignedIdException.class,
            "Leave the id null, or take it from 'ShardedIds.nextFor(shardKey)': an assigned id must be of the shard of "
                    + "its row and not of the future.",
            IdRangeSpentException.class,
            "Check the clocks of this machine and of the database. If they are right, the layout has ended: give its "
                    + "rows a namespace with a new one ('shardedid.worker.lease.replaces-namespace').",
            IdsAheadOfClockException.class,
            "Spread the rows that are saved at the start over more shards or more time, or choose a layout with more "
                    + "sequence bits before the first row exists ('shardedid.layout.preset', "
                    + "'shardedid.layout.sequence-bits').",
            EngineClosedException.class,
            "Something makes an id after the application context was closed, or with an engine that the application "
                    + "closed itself. Stop it before the context, and leave closing to Spring.",
            ShardedIdException.class, "Start again. No id was made and nothing was written.");

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardedIdException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", action(cause.getClass()), cause);
    }

    private static String action(Class<?> type) {
        String action = ACTIONS.get(type);
        return (action != null) ? action : action(type.getSuperclass());
    }

}
