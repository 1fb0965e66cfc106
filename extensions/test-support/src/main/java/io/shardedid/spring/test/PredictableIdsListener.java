package io.shardedid.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Moves the clock on before each test method of a class with {@link PredictableIds},
 * before the transaction and the SQL scripts of that method.
 */
final class PredictableIdsListener extends AbstractTestExecutionListener {

    private static final int BEFORE_INJECTION = 1990;

    PredictableIdsListener() {
    }

    @Override
    public int getOrder() {
        return BEFORE_INJECTION;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), PredictableIds.class)) {
            test.getApplicationContext().getBeanProvider(TestMethods.class).ifAvailable(TestMethods::next);
        }
    }

}
