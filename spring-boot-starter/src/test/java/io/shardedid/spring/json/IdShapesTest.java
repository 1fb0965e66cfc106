package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.jackson.IdShapes.Shape;
import io.shardedid.jackson.IdShapesCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Every shape of an id, with the mappers that Spring Boot makes. Springdoc and its
 * Jackson 2 are on the class path.
 */
@Tag("slow")
@SuppressWarnings("removal")
class IdShapesTest extends IdShapesCheck {

    private final ApplicationContextRunner runner = new ApplicationContextRunner();

    @ParameterizedTest
    @MethodSource("io.shardedid.jackson.IdShapes#all")
    void ofTheMapper(Shape shape) {
        this.runner
            .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
                    ShardedIdJacksonAutoConfiguration.class, ShardedIdJackson2AutoConfiguration.class))
            .run((context) -> {
                JsonMapper mapper = context.getBean(JsonMapper.class);
                hold(shape, new Mapper() {
                    @Override
                    public String write(Object value) throws Exception {
                        return mapper.writeValueAsString(value);
                    }

                    @Override
                    public Object read(String json, Class<?> type) throws Exception {
                        return mapper.readValue(json, type);
                    }
                });
            });
    }

    @ParameterizedTest
    @MethodSource("io.shardedid.jackson.IdShapes#all")
    @Tag("boot-4")
    void ofTheMapperOfJackson2(Shape shape) {
        this.runner.withConfiguration(AutoConfigurations.of(ShardedIdJackson2AutoConfiguration.class,
                org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration.class))
            .run((context) -> {
                ObjectMapper mapper = context.getBean(ObjectMapper.class);
                hold(shape, new Mapper() {
                    @Override
                    public String write(Object value) throws Exception {
                        return mapper.writeValueAsString(value);
                    }

                    @Override
                    public Object read(String json, Class<?> type) throws Exception {
                        return mapper.readValue(json, type);
                    }
                });
            });
    }

}
