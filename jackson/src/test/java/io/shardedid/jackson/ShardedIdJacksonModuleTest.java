package io.shardedid.jackson;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ShardedIdJacksonModuleTest extends IdJsonContract {

    private final JsonMapper mapper = JsonMapper.builder().addModule(new ShardedIdJacksonModule()).build();

    private final JsonMapper unsafeAsStrings = JsonMapper.builder()
        .addModule(new ShardedIdJacksonModule((type, arguments) -> Map.of(), UnmarkedNumbers.asStrings(),
                IdTexts.unconfigured()))
        .build();

    private final JsonMapper photoAsId = JsonMapper.builder()
        .addModule(
                new ShardedIdJacksonModule(IdJsonContract::photo, UnmarkedNumbers.asTheyAre(), IdTexts.unconfigured()))
        .build();

    private final JsonMapper snakeCase = this.mapper.rebuild()
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .build();

    @Override
    String write(Object value) {
        return this.mapper.writeValueAsString(value);
    }

    @Override
    String writeAs(Class<?> type, Object value) {
        return this.mapper.writerFor(type).writeValueAsString(value);
    }

    @Override
    <T> T read(String json, Class<T> type) {
        return this.mapper.readValue(json, type);
    }

    @Override
    String refusal(String json, Class<?> type) {
        return catchThrowableOfType(JacksonException.class, () -> read(json, type)).getOriginalMessage();
    }

    @Override
    String refusal(Object value) {
        return catchThrowableOfType(DatabindException.class, () -> write(value)).getOriginalMessage();
    }

    @Override
    String writeInSnakeCase(Object value) {
        return this.snakeCase.writeValueAsString(value);
    }

    @Override
    String writeUnsafeAsStrings(Object value) {
        return this.unsafeAsStrings.writeValueAsString(value);
    }

    @Override
    String writePhotoAsId(Object value) {
        return this.photoAsId.writeValueAsString(value);
    }

    @Override
    <T> T readPhotoAsId(String json, Class<T> type) {
        return this.photoAsId.readValue(json, type);
    }

    @Override
    String refusalWithPhotoAsId(String json, Class<?> type) {
        return catchThrowableOfType(JacksonException.class, () -> this.photoAsId.readValue(json, type))
            .getOriginalMessage();
    }

    @Override
    <T> T readFromSnakeCase(String json, Class<T> type) {
        return this.snakeCase.readValue(json, type);
    }

    /** A module that is added as well as found is registered once. */
    @Test
    void isFoundByMappersThatLookForModules() {
        JsonMapper found = JsonMapper.builder().findAndAddModules().build();
        JsonMapper both = JsonMapper.builder().findAndAddModules().addModule(new ShardedIdJacksonModule()).build();

        assertThat(found.writeValueAsString(new Like(1, 2, 3))).isEqualTo(write(new Like(1, 2, 3)));
        assertThat(both.registeredModules().stream().filter(ShardedIdJacksonModule.class::isInstance)).hasSize(1);
    }

    /** A feature that Jackson 3 has on and Jackson 2 off. */
    @Test
    void refusesNullForAPrimitive() {
        assertThat(refusal("{\"userId\":null}", Like.class)).isEqualTo("an id of type 'long' must not be null");
    }

    /** What carries mappers to other processes, or keeps them in a session. */
    @Test
    void mapperWithTheModuleCanBeSerialized() throws Exception {
        JsonMapper copy = copy(this.unsafeAsStrings(new NoMore()));

        assertThat(copy.writeValueAsString(new Like(1, 2, 3))).isEqualTo(write(new Like(1, 2, 3)));
        assertThat(copy.writeValueAsString(Like.BEYOND_JAVASCRIPT)).isEqualTo("\"9007199254740993\"");
        assertThat(copy.readValue("{\"id\":\"4\"}", Like.class).getId()).isEqualTo(4);
    }

    private JsonMapper unsafeAsStrings(NoMore more) {
        return JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(more, UnmarkedNumbers.asStrings(), IdTexts.unconfigured()))
            .build();
    }

    private static JsonMapper copy(JsonMapper mapper) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(mapper);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (JsonMapper) in.readObject();
        }
    }

    private static final class NoMore
            implements BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>>, Serializable {

        @Override
        public Map<String, Class<?>> apply(Class<?> type, List<Class<?>> arguments) {
            return Map.of();
        }

    }

}
