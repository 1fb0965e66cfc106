package io.shardedid.spring.boot;

import io.shardedid.ShardedId;
import org.hibernate.MappingException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a mapping that {@link ShardedId} refused; other mapping errors are left to
 * others.
 */
final class MappingFailureAnalyzer extends AbstractFailureAnalyzer<MappingException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, MappingException cause) {
        String message = String.valueOf(cause.getMessage());
        if (!message.contains('@' + ShardedId.class.getSimpleName())) {
            return null;
        }
        return new FailureAnalysis("An entity could not be mapped: " + message + ".",
                "Correct the annotation '@ShardedId' or the attribute that it names. Nothing was written to the "
                        + "database.",
                cause);
    }

}
