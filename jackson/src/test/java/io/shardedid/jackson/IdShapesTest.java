package io.shardedid.jackson;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.shardedid.jackson.IdShapes.Read;
import io.shardedid.jackson.IdShapes.Shape;
import io.shardedid.jackson.IdShapes.Written;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Every shape of an id, with both Jacksons. */
class IdShapesTest extends IdShapesCheck {

    static Stream<Shape> shapes() {
        return Stream.concat(IdShapes.all(),
                Stream.of(new Shape("mix-in", new Mixed(), "{\"id\":#}", Written.STRING, Read.STRICT, "id"),
                        new Shape("builder", new Built(IdShapes.ID), "{\"id\":#}", Written.STRING, Read.STRICT, "id")));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void withJackson3(Shape shape) throws Exception {
        JsonMapper mapper = JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(watched()))
            .addMixIn(Mixed.class, Mark.class)
            .build();
        hold(shape, new Mapper() {
            @Override
            public String write(Object value) {
                return mapper.writeValueAsString(value);
            }

            @Override
            public Object read(String json, Class<?> type) {
                return mapper.readValue(json, type);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void withJackson2(Shape shape) throws Exception {
        com.fasterxml.jackson.databind.json.JsonMapper mapper = com.fasterxml.jackson.databind.json.JsonMapper.builder()
            .addModules(List.of(new Jdk8Module(), new ShardedIdJackson2Module(watched())))
            .addMixIn(Mixed.class, Mark.class)
            .build();
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
    }

    /** Jackson 2 does not hand the format on to an entry. */
    @Test
    void entryIsAStringWithJackson3() throws Exception {
        Object entry = new OfEntry(Map.entry("a", IdShapes.ID));

        withJackson3(new Shape("entry", entry, "{\"id\":{\"a\":#}}", Written.STRING, Read.NOT, ""));
        withJackson2(new Shape("entry", entry, "{\"id\":{\"a\":#}}", Written.WARNED, Read.NOT, "a value of a map"));
    }

    static UnmarkedNumbers watched() {
        return UnmarkedNumbers.watched((number) -> number == IdShapes.ID, () -> null);
    }

    static class Mixed {

        public long id = IdShapes.ID;

    }

    static class Mark {

        @JsonShardedId
        long id;

    }

    @tools.jackson.databind.annotation.JsonDeserialize(builder = Builder.class)
    @com.fasterxml.jackson.databind.annotation.JsonDeserialize(builder = Builder.class)
    record Built(@JsonShardedId long id) {
    }

    static class Builder {

        private long id;

        @JsonShardedId
        public Builder withId(long id) {
            this.id = id;
            return this;
        }

        public Built build() {
            return new Built(this.id);
        }

    }

    record OfEntry(@JsonShardedId Map.Entry<String, Long> id) {
    }

}
