package io.shardedid.tools;

import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Carries out {@link Needs}. */
final class NeedsCondition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
            .flatMap((needs) -> Stream.of(needs.value())
                .flatMap((tool) -> tool.missing(System.getenv("PATH"), System.getProperty(tool.property())).stream())
                .reduce((first, second) -> first + "; " + second))
            .map((missing) -> without(missing, "true".equals(System.getenv("CI"))))
            .orElseGet(() -> ConditionEvaluationResult.enabled("Nothing is missing"));
    }

    static ConditionEvaluationResult without(String missing, boolean ci) {
        if (ci) {
            throw new IllegalStateException(missing + " (with CI=true no test is skipped)");
        }
        return ConditionEvaluationResult.disabled(missing);
    }

}
