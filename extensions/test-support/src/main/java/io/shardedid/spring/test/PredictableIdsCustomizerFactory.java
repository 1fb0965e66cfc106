package io.shardedid.spring.test;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Finds {@link PredictableIds} on a test class, its superclasses, interfaces and
 * enclosing classes.
 */
final class PredictableIdsCustomizerFactory implements ContextCustomizerFactory {

    PredictableIdsCustomizerFactory() {
    }

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
            List<ContextConfigurationAttributes> attributes) {
        PredictableIds found = TestContextAnnotationUtils.findMergedAnnotation(testClass, PredictableIds.class);
        return (found != null) ? new PredictableIdsCustomizer(start(testClass, found), found.worker()) : null;
    }

    private static Instant start(Class<?> testClass, PredictableIds found) {
        try {
            return Instant.parse(found.start());
        }
        catch (DateTimeParseException ex) {
            throw new IllegalArgumentException(
                    "'@PredictableIds' of '%s' must start at an ISO instant: start='%s'; for example 2025-06-01T12:00:00Z"
                        .formatted(testClass.getName(), found.start()),
                    ex);
        }
    }

}
