package io.shardedid.spring.json;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.shardedid.ShardedId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ShardedIdJacksonModuleTest {

    private final JsonMapper mapper = JsonMapper.builder().addModule(new ShardedIdJacksonModule()).build();

    @Test
    void writesIdAndShardKeyAsStrings() {
        assertThat(this.mapper.writeValueAsString(new Like(Like.BEYOND_JAVASCRIPT, 7, 3)))
            .isEqualTo("{\"count\":3,\"id\":\"9007199254740993\",\"userId\":\"7\"}");
    }

    @Test
    void readsIdAndShardKeyFromStrings() {
        Like like = this.mapper.readValue("{\"id\":\"9007199254740993\",\"userId\":\"7\",\"count\":3}", Like.class);

        assertThat(like.getId()).isEqualTo(Like.BEYOND_JAVASCRIPT);
        assertThat(like.getUserId()).isEqualTo(7);
    }

    @Test
    void readsIdAndShardKeyFromNumbers() {
        Like like = this.mapper.readValue("{\"id\":9007199254740993,\"userId\":7}", Like.class);

        assertThat(like.getId()).isEqualTo(Like.BEYOND_JAVASCRIPT);
        assertThat(like.getUserId()).isEqualTo(7);
    }

    @Test
    void missingIdStaysNull() {
        assertThat(this.mapper.readValue("{\"id\":null}", Like.class).getId()).isNull();
        assertThat(this.mapper.readValue("{}", Like.class).getId()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = { "\"\"", "\"12a\"", "\" 12\"", "\"12.0\"", "12.5", "\"9223372036854775808\"",
            "9223372036854775808", "true", "[1]", "{}" })
    void refusesWhatIsNoWholeNumber(String id) {
        assertThatThrownBy(() -> this.mapper.readValue("{\"id\":" + id + "}", Like.class))
            .isInstanceOf(JacksonException.class);
        assertThatThrownBy(() -> this.mapper.readValue("{\"userId\":" + id + "}", Like.class))
            .isInstanceOf(JacksonException.class);
    }

    @Test
    void refusalSaysWhatAnIdIs() {
        assertThatThrownBy(() -> this.mapper.readValue("{\"id\":\"12a\"}", Like.class)).hasMessageStartingWith(
                "Cannot deserialize value of type `java.lang.Long` from String \"12a\": an id must be "
                        + "a whole 64-bit number, as a string or a number");
        assertThatThrownBy(() -> this.mapper.readValue("{\"userId\":null}", Like.class))
            .hasMessageStartingWith("an id of type 'long' must not be null");
    }

    @Test
    void followsTheMapperInNamesOfProperties() {
        JsonMapper snake = this.mapper.rebuild().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

        assertThat(snake.writeValueAsString(new Like(1, 2, 3)))
            .isEqualTo("{\"count\":3,\"id\":\"1\",\"user_id\":\"2\"}");
        assertThat(snake.readValue("{\"user_id\":\"2\"}", Like.class).getUserId()).isEqualTo(2);
    }

    @Test
    void seesAnnotationsOnGettersAndInSuperclasses() {
        Child child = new Child();
        child.photo = 5;

        assertThat(this.mapper.writeValueAsString(child)).isEqualTo("{\"id\":\"4\",\"photo\":\"5\"}");
    }

    @Test
    void leavesWhatAnAttributeSaysItself() {
        assertThat(this.mapper.writeValueAsString(new OwnFormat())).isEqualTo("{\"id\":1,\"userId\":2}");
    }

    @Test
    void leavesShardKeysThatJavaScriptCanHold() {
        assertThat(this.mapper.writeValueAsString(new SmallKey())).isEqualTo("{\"id\":\"1\",\"userId\":2}");
    }

    @Test
    void serializesRecordsByOneAnnotation() {
        View view = new View(9, 10L, List.of(11L, 12L), 13);
        String json = "{\"id\":\"9\",\"author\":\"10\",\"photos\":[\"11\",\"12\"],\"likes\":13}";

        assertThat(this.mapper.writeValueAsString(view)).isEqualTo(json);
        assertThat(this.mapper.readValue(json, View.class)).isEqualTo(view);
        assertThat(this.mapper.readValue("{\"author\":10,\"id\":9,\"likes\":13,\"photos\":[11,12]}", View.class))
            .isEqualTo(view);
        assertThatThrownBy(() -> this.mapper.readValue("{\"id\":\"\"}", View.class))
            .isInstanceOf(JacksonException.class);
    }

    @Test
    void serializesProjectionsByOneAnnotation() {
        Projection projection = () -> 9;

        assertThat(this.mapper.writerFor(Projection.class).writeValueAsString(projection)).isEqualTo("{\"id\":\"9\"}");
    }

    record View(@JsonShardedId long id, @JsonShardedId Long author, @JsonShardedId List<Long> photos, long likes) {
    }

    interface Projection {

        @JsonShardedId
        long getId();

    }

    static class Parent {

        @ShardedId(colocateWith = "photo")
        public Long getId() {
            return 4L;
        }

    }

    static class Child extends Parent {

        public long photo;

    }

    static class OwnFormat {

        @ShardedId(shardKey = "userId")
        @JsonFormat(shape = JsonFormat.Shape.NUMBER)
        public Long id = 1L;

        @JsonFormat(shape = JsonFormat.Shape.NUMBER)
        public long userId = 2;

    }

    static class SmallKey {

        @ShardedId(shardKey = "userId")
        public Long id = 1L;

        @JsonProperty
        private int userId = 2;

    }

}
