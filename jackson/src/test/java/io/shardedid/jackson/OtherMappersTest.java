package io.shardedid.jackson;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Mappers that an application makes itself, without the module: the mark suffices. */
class OtherMappersTest {

    private static final long ID = 503_630_804_723_700_751L;

    private static final PhotoView PHOTO = new PhotoView(ID, ID + 1, List.of(ID + 2), Map.of("a", ID + 3), 5, ID);

    static Stream<Arguments> mappers() {
        return Stream.of(
                arguments((Function<Object, String>) new JsonMapper()::writeValueAsString,
                        (Function<String, PhotoView>) (json) -> new JsonMapper().readValue(json, PhotoView.class)),
                arguments((Function<Object, String>) OtherMappersTest::write,
                        (Function<String, PhotoView>) OtherMappersTest::read));
    }

    private static String write(Object value) {
        try {
            return new ObjectMapper().writeValueAsString(value);
        }
        catch (JsonProcessingException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static PhotoView read(String json) {
        try {
            return new ObjectMapper().readValue(json, PhotoView.class);
        }
        catch (JsonProcessingException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void writesAndReadsMarkedIdsAsStrings(Function<Object, String> write, Function<String, PhotoView> read) {
        String json = write.apply(PHOTO);

        assertThat(json).isEqualTo("{\"id\":\"503630804723700751\",\"author\":\"503630804723700752\","
                + "\"likedBy\":[\"503630804723700753\"],\"named\":{\"a\":\"503630804723700754\"},\"count\":5,"
                + "\"number\":503630804723700751}");
        assertThat(read.apply(json)).isEqualTo(PHOTO);
    }

    /** As with the annotation of Jackson that the mark brings. */
    @ParameterizedTest
    @MethodSource("mappers")
    void takesAPrivateFieldForAProperty(Function<Object, String> write, Function<String, PhotoView> read) {
        assertThat(write.apply(new Hidden())).isEqualTo("{\"id\":\"503630804723700751\"}");
    }

    /** One wrong completion away from the entity. */
    @Test
    void markThatNamesNoEntityIsRefused() {
        String refused = "'@JsonShardedId' must name the entity whose id it is: class='" + PhotoView.class.getName()
                + "' (it is no entity); name the entity, or no class";

        assertThatThrownBy(() -> JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule())
            .build()
            .writeValueAsString(new Wrong(ID))).hasMessageContaining(refused);
        assertThatThrownBy(
                () -> new ObjectMapper().registerModule(new ShardedIdJackson2Module()).readValue("{}", Wrong.class))
            .hasMessageContaining(refused);
    }

    static class Hidden {

        @JsonShardedId
        private final long id = ID;

    }

    record Wrong(@JsonShardedId(PhotoView.class) long id) {
    }

    record PhotoView(@JsonShardedId long id, @JsonShardedId Long author, @JsonShardedId List<Long> likedBy,
            @JsonShardedId Map<String, Long> named, long count,
            @JsonShardedId @JsonFormat(shape = JsonFormat.Shape.NUMBER) long number) {
    }

}
