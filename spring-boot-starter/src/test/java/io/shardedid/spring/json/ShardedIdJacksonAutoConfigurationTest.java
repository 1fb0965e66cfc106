package io.shardedid.spring.json;

import io.shardedid.jackson.ShardedIdJacksonModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdJacksonAutoConfigurationTest extends JacksonContract<ShardedIdJacksonModule> {

    ShardedIdJacksonAutoConfigurationTest() {
        super(ShardedIdJacksonAutoConfiguration.class, JacksonAutoConfiguration.class, ShardedIdJacksonModule.class,
                ShardedIdJacksonModule::new);
    }

    @Override
    String write(ApplicationContext context, Object value) {
        return context.getBean(JsonMapper.class).writeValueAsString(value);
    }

    /** Not every Spring Boot looks for modules, and one that does has the module once. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void mapperHasTheModuleOnceWhetherSpringBootLooksForModulesOrNot(boolean find) {
        this.runner.withPropertyValues("spring.jackson.find-and-add-modules=" + find)
            .run((context) -> assertThat(context.getBean(JsonMapper.class).registeredModules())
                .filteredOn(ShardedIdJacksonModule.class::isInstance)
                .hasSize(1));
    }

    @Test
    void backsOffWithoutJackson() {
        this.runner.withClassLoader(new FilteredClassLoader(JacksonModule.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedIdJacksonModule"));
    }

}
