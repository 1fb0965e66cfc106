package io.shardedid.sample.browser;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.openqa.selenium.chrome.ChromeDriver;

import org.springframework.core.env.Environment;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Hands a test class the one browser of the whole run, which takes seconds to start,
 * emptied of what the class before left in it.
 */
final class BrowserParameter implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Running running = context.getRoot()
            .getStore(ExtensionContext.Namespace.create(BrowserParameter.class))
            .computeIfAbsent(Running.class, (type) -> new Running(Browser.start()), Running.class);
        Environment environment = SpringExtension.getApplicationContext(context).getEnvironment();
        return Browser.at(running.driver(), environment.getRequiredProperty("local.server.port", Integer.class));
    }

    /** Closed by JUnit after the last class. */
    private record Running(ChromeDriver driver) implements AutoCloseable {

        @Override
        public void close() {
            this.driver.quit();
        }

    }

}
