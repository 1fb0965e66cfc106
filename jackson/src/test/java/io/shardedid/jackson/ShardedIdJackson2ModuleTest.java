package io.shardedid.jackson;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ShardedIdJackson2ModuleTest extends IdJsonContract {

    private final JsonMapper mapper = JsonMapper.builder()
        .addModules(new Jdk8Module(), new ShardedIdJackson2Module())
        .build();

    private final JsonMapper unsafeAsStrings = JsonMapper.builder()
        .addModule(new ShardedIdJackson2Module((type, arguments) -> Map.of(), UnmarkedNumbers.asStrings(),
                IdTexts.unconfigured()))
        .build();

    private final JsonMapper photoAsId = JsonMapper.builder()
        .addModule(
                new ShardedIdJackson2Module(IdJsonContract::photo, UnmarkedNumbers.asTheyAre(), IdTexts.unconfigured()))
        .build();

    private final JsonMapper snakeCase = this.mapper.rebuild()
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .build();

    @Override
    String write(Object value) {
        return unchecked(() -> this.mapper.writeValueAsString(value));
    }

    @Override
    String writeAs(Class<?> type, Object value) {
        return unchecked(() -> this.mapper.writerFor(type).writeValueAsString(value));
    }

    @Override
    <T> T read(String json, Class<T> type) {
        return unchecked(() -> this.mapper.readValue(json, type));
    }

    @Override
    String refusal(String json, Class<?> type) {
        return refusal(this.mapper, json, type);
    }

    @Override
    String refusal(Object value) {
        return catchThrowableOfType(JsonMappingException.class, () -> this.mapper.writeValueAsString(value))
            .getOriginalMessage();
    }

    @Override
    String writeInSnakeCase(Object value) {
        return unchecked(() -> this.snakeCase.writeValueAsString(value));
    }

    @Override
    String writeUnsafeAsStrings(Object value) {
        return unchecked(() -> this.unsafeAsStrings.writeValueAsString(value));
    }

    @Override
    String writePhotoAsId(Object value) {
        return unchecked(() -> this.photoAsId.writeValueAsString(value));
    }

    @Override
    <T> T readPhotoAsId(String json, Class<T> type) {
        return unchecked(() -> this.photoAsId.readValue(json, type));
    }

    @Override
    String refusalWithPhotoAsId(String json, Class<?> type) {
        return refusal(this.photoAsId, json, type);
    }

    @Override
    <T> T readFromSnakeCase(String json, Class<T> type) {
        return unchecked(() -> this.snakeCase.readValue(json, type));
    }

    /** A module that is added as well as found is registered once. */
    @Test
    void isFoundByMappersThatLookForModules() {
        JsonMapper found = JsonMapper.builder().findAndAddModules().build();
        Set<Object> modules = found.getRegisteredModuleIds();

        assertThat(unchecked(() -> found.writeValueAsString(new Like(1, 2, 3)))).isEqualTo(write(new Like(1, 2, 3)));
        assertThat(found.registerModule(new ShardedIdJackson2Module()).getRegisteredModuleIds()).isEqualTo(modules);
    }

    /** A feature that Jackson 3 has on and Jackson 2 off. */
    @Test
    void takesNullForAPrimitiveAsTheMapperSays() {
        JsonMapper strict = this.mapper.rebuild().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

        assertThat(read("{\"userId\":null}", Like.class).getUserId()).isZero();
        assertThat(refusal(strict, "{\"userId\":null}", Like.class)).isEqualTo("an id of type 'long' must not be null");
    }

    private static String refusal(JsonMapper mapper, String json, Class<?> type) {
        return catchThrowableOfType(JsonProcessingException.class, () -> mapper.readValue(json, type))
            .getOriginalMessage();
    }

    private static <T> T unchecked(Callable<T> call) {
        try {
            return call.call();
        }
        catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

}
