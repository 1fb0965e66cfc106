package io.shardedid.spring.boot;

import io.shardedid.WorkerIdsExhaustedException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerModeNoneException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a start that got no worker id.
 */
final class WorkerLeaseFailureAnalyzer extends AbstractFailureAnalyzer<WorkerLeaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, WorkerLeaseException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", action(cause), cause);
    }

    private static String action(WorkerLeaseException cause) {
        if (cause instanceof WorkerIdsExhaustedException) {
            return "Stop instances that are not needed, or wait until the lease of a stopped one has run out "
                    + "('shardedid.worker.lease.window'). For more instances at once choose a layout with more worker "
                    + "bits before the first row exists ('shardedid.layout.preset', 'shardedid.layout.worker-bits').";
        }
        if (cause instanceof WorkerModeNoneException) {
            return "Something makes an id while the application starts, and this process makes none. Remove that, or "
                    + "set 'shardedid.worker.mode' to 'lease' or 'fixed'.";
        }
        return "Check that the database can be reached and that its user may read and write the lease table "
                + "('shardedid.worker.lease.table'), then start again. No id was made and nothing was written.";
    }

}
