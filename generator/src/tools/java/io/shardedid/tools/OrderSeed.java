package io.shardedid.tools;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Adds the seed of the order of tests to each failure: with {@code -Dorder.seed=} and
 * that number, classes and methods run in the same order. Registered as a service.
 */
public final class OrderSeed implements TestExecutionExceptionHandler {

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        context.getConfigurationParameter("junit.jupiter.execution.order.random.seed")
            .ifPresent((seed) -> thrown.addSuppressed(new Throwable("order of tests: -Dorder.seed=" + seed, null, false,
                    false) {

                private static final long serialVersionUID = 1L;

                @Override
                public String toString() {
                    return getMessage();
                }

            }));
        throw thrown;
    }

}
