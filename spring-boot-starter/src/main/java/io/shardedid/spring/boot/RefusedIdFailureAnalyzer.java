package io.shardedid.spring.boot;

import io.shardedid.ShardedIdException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a start that got no worker id, or no id for a row that it saves.
 */
final class RefusedIdFailureAnalyzer extends AbstractFailureAnalyzer<ShardedIdException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardedIdException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", cause.action(), cause);
    }

}
