package io.shardedid.spring.test;

import java.time.Instant;
import java.util.Map;

import io.shardedid.test.TestClock;
import io.shardedid.test.TestWorker;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Puts the clock and the worker of a test into its context. Equal ones share a context,
 * as Spring caches them.
 *
 * @param start when the clock starts
 * @param worker the worker id
 */
record PredictableIdsCustomizer(Instant start, int worker) implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration config) {
        // what is configured about workers is not used, and nothing may be told of a
        // lease that is not there
        context.getEnvironment()
            .getPropertySources()
            .addFirst(new MapPropertySource("predictableIds",
                    Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", this.worker)));
        BeanDefinitionRegistry beans = (BeanDefinitionRegistry) context.getBeanFactory();
        beans.registerBeanDefinition("shardedIdTestClock",
                new RootBeanDefinition(TestClock.class, () -> TestClock.at(this.start)));
        beans.registerBeanDefinition("shardedIdTestWorker",
                new RootBeanDefinition(TestWorker.class, () -> TestWorker.of(this.worker)));
        RootBeanDefinition methods = new RootBeanDefinition(TestMethods.class);
        methods.setLazyInit(false);
        beans.registerBeanDefinition("shardedIdTestMethods", methods);
    }

}
