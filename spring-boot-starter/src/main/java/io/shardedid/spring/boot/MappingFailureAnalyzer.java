package io.shardedid.spring.boot;

import io.shardedid.ShardedId;
import io.shardedid.hibernate.ShardedIdMappingException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a mapping that {@link ShardedId} refused.
 */
final class MappingFailureAnalyzer extends AbstractFailureAnalyzer<ShardedIdMappingException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardedIdMappingException cause) {
        return new FailureAnalysis("An entity could not be mapped: " + cause.getMessage() + ".",
                "Correct the annotation '@ShardedId' or the attribute that it names. Nothing was written to the "
                        + "database.",
                cause);
    }

}
