package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.jackson.ShardedIdJackson2Module;

import org.springframework.context.ApplicationContext;

@SuppressWarnings("removal")
class ShardedIdJackson2AutoConfigurationTest extends JacksonContract<ShardedIdJackson2Module> {

    ShardedIdJackson2AutoConfigurationTest() {
        super(ShardedIdJackson2AutoConfiguration.class,
                org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration.class,
                ShardedIdJackson2Module.class, ShardedIdJackson2Module::new);
    }

    @Override
    String write(ApplicationContext context, Object value) throws Exception {
        return context.getBean(ObjectMapper.class).writeValueAsString(value);
    }

}
