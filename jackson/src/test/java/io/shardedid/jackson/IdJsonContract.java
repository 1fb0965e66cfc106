package io.shardedid.jackson;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.shardedid.ShardedId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What JSON of ids is, whichever Jackson reads and writes it.
 */
abstract class IdJsonContract extends IdCollectionsJsonContract {

    abstract String writeInSnakeCase(Object value);

    /** By a mapper that writes unsafe numbers as strings. */
    abstract String writeUnsafeAsStrings(Object value);

    /** By a mapper that knows that attribute {@code photo} of {@link Plain} is an id. */
    abstract String writePhotoAsId(Object value);

    abstract <T> T readPhotoAsId(String json, Class<T> type);

    /** The message of the refusal to read. */
    abstract String refusalWithPhotoAsId(String json, Class<?> type);

    static Map<String, Class<?>> photo(Class<?> type, List<Class<?>> arguments) {
        return (type == Plain.class) ? Map.of("photo", void.class) : Map.of();
    }

    abstract <T> T readFromSnakeCase(String json, Class<T> type);

    @Test
    void writesIdAndShardKeyAsStrings() {
        assertSameJson(write(new Like(Like.BEYOND_JAVASCRIPT, 7, 3)),
                "{\"count\":3,\"id\":\"9007199254740993\",\"userId\":\"7\"}");
    }

    @Test
    void readsIdAndShardKeyFromStrings() {
        Like like = read("{\"id\":\"9007199254740993\",\"userId\":\"7\",\"count\":3}", Like.class);

        assertThat(like.getId()).isEqualTo(Like.BEYOND_JAVASCRIPT);
        assertThat(like.getUserId()).isEqualTo(7);
    }

    @Test
    void readsIdAndShardKeyFromNumbers() {
        Like like = read("{\"id\":9007199254740993,\"userId\":7}", Like.class);

        assertThat(like.getId()).isEqualTo(Like.BEYOND_JAVASCRIPT);
        assertThat(like.getUserId()).isEqualTo(7);
    }

    @Test
    void missingIdStaysNull() {
        assertThat(read("{\"id\":null}", Like.class).getId()).isNull();
        assertThat(read("{}", Like.class).getId()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = { "", " ", "12a", " 12", "12 ", "12.0", "1e3", "+12", "0x1f", "--1", "\u0661\u0662",
            "9223372036854775808", "-9223372036854775809", "10000000000000000000" })
    void refusesAStringThatIsNoWholeNumber(String text) {
        assertThat(refusal("{\"id\":\"" + text + "\"}", Like.class)).isEqualTo(
                "Cannot deserialize value of type `java.lang.Long` from String \"%s\": %s".formatted(text, RULE));
        assertThat(refusal("{\"userId\":\"" + text + "\"}", Like.class))
            .isEqualTo("Cannot deserialize value of type `long` from String \"%s\": %s".formatted(text, RULE));
    }

    @ParameterizedTest
    @ValueSource(strings = { "9223372036854775808", "-9223372036854775809" })
    void refusesANumberThatIsTooBig(String number) {
        assertThat(refusal("{\"id\":" + number + "}", Like.class))
            .isEqualTo("Cannot deserialize value of type `java.lang.Long` from number %s: %s".formatted(number, RULE));
    }

    @ParameterizedTest
    @ValueSource(strings = { "12.5", "true", "[1]", "{}" })
    void refusesWhatIsNeitherStringNorWholeNumber(String value) {
        assertThat(refusal("{\"id\":" + value + "}", Like.class)).contains(RULE);
        assertThat(refusal("{\"userId\":" + value + "}", Like.class)).contains(RULE);
    }

    @Test
    void refusesNullWhereNothingCanBeNull() {
        assertThat(refusal("{\"ids\":[1,null]}", Arrays.class)).isEqualTo("an id of type 'long' must not be null");
    }

    @ParameterizedTest
    @CsvSource({ "-9223372036854775808", "-1", "0", "9223372036854775807" })
    void readsEveryNumberThatALongHolds(long number) {
        assertThat(read("{\"id\":\"" + number + "\"}", Like.class).getId()).isEqualTo(number);
        assertThat(read("{\"id\":" + number + "}", Like.class).getId()).isEqualTo(number);
    }

    @Test
    void refusesNegativeIdsInMarkedMembers() {
        for (String json : List.of("{\"id\":-5}", "{\"id\":\"-5\"}", "{\"author\":-5}", "{\"photos\":[-5]}",
                "{\"photos\":[\"-5\"]}")) {
            assertThat(refusal(json, View.class)).as(json).endsWith(RULE);
        }
        assertThat(refusal("{\"captions\":{\"-9\":\"nine\"}}", Maps.class)).endsWith(RULE);
    }

    @Test
    void writesAnAttributeThatIsKnownElsewhereAsString() {
        assertSameJson(writePhotoAsId(new Plain(1, 2)), "{\"count\":2,\"photo\":\"1\"}");
        assertSameJson(write(new Plain(1, 2)), "{\"count\":2,\"photo\":1}");
    }

    @Test
    void readsAnAttributeThatIsKnownElsewhereLikeAnId() {
        assertThat(readPhotoAsId("{\"photo\":\"9007199254740993\",\"count\":2}", Plain.class))
            .isEqualTo(new Plain(Like.BEYOND_JAVASCRIPT, 2));
        assertThat(refusalWithPhotoAsId("{\"photo\":\"12a\",\"count\":2}", Plain.class)).endsWith(RULE);
    }

    @Test
    void writesUnsafeNumbersOfAnyClassAsStrings() {
        long safe = Like.BEYOND_JAVASCRIPT - 2;
        long unsafe = safe + 1;

        assertSameJson(writeUnsafeAsStrings(new Plain(unsafe, safe)),
                "{\"count\":9007199254740991,\"photo\":\"9007199254740992\"}");
        assertSameJson(writeUnsafeAsStrings(new Plain(-unsafe, -safe)),
                "{\"count\":-9007199254740991,\"photo\":\"-9007199254740992\"}");
        assertSameJson(writeUnsafeAsStrings(List.of(safe, unsafe, 1, BigInteger.TWO.pow(70), new AtomicLong(unsafe))),
                "[9007199254740991,\"9007199254740992\",1,\"1180591620717411303424\",\"9007199254740992\"]");
        assertSameJson(writeUnsafeAsStrings(Map.of("a", (Object) unsafe)), "{\"a\":\"9007199254740992\"}");
        assertSameJson(writeUnsafeAsStrings(new long[] { safe, unsafe }), "[9007199254740991,\"9007199254740992\"]");
        assertSameJson(writeUnsafeAsStrings(new Long[] { safe, null, unsafe }),
                "[9007199254740991,null,\"9007199254740992\"]");
        assertSameJson(writeUnsafeAsStrings(Long.MIN_VALUE), "\"-9223372036854775808\"");
    }

    @Test
    void writesIdsAsStringsAlsoWhereUnsafeNumbersAre() {
        assertSameJson(writeUnsafeAsStrings(new Like(1, 7, 3)), "{\"count\":3,\"id\":\"1\",\"userId\":\"7\"}");
    }

    @Test
    void leavesTheFormOfAnUnsafeNumberThatAnAttributeSetsItself() {
        assertSameJson(writeUnsafeAsStrings(new NumberByFormat(Like.BEYOND_JAVASCRIPT)),
                "{\"bytes\":9007199254740993}");
    }

    record Plain(long photo, long count) {
    }

    record NumberByFormat(@JsonFormat(shape = JsonFormat.Shape.NUMBER) long bytes) {
    }

    @Test
    void followsTheMapperInNamesOfProperties() {
        assertSameJson(writeInSnakeCase(new Like(1, 2, 3)), "{\"count\":3,\"id\":\"1\",\"user_id\":\"2\"}");
        assertThat(readFromSnakeCase("{\"user_id\":\"2\"}", Like.class).getUserId()).isEqualTo(2);
    }

    @Test
    void seesAnnotationsOnGettersAndInSuperclasses() {
        Child child = new Child();
        child.photo = 5;

        assertSameJson(write(child), "{\"id\":\"4\",\"photo\":\"5\"}");
    }

    @Test
    void leavesWhatAnAttributeSaysItself() {
        assertSameJson(write(new OwnFormat()), "{\"id\":1,\"userId\":2}");
    }

    @Test
    void leavesShardKeysThatJavaScriptCanHold() {
        assertSameJson(write(new SmallKey()), "{\"id\":\"1\",\"userId\":2}");
    }

    @Test
    void serializesRecordsByOneAnnotation() {
        View view = new View(9, 10L, List.of(11L, 12L), 13);
        String json = "{\"id\":\"9\",\"author\":\"10\",\"photos\":[\"11\",\"12\"],\"likes\":13}";

        assertSameJson(write(view), json);
        assertThat(read(json, View.class)).isEqualTo(view);
        assertThat(read("{\"author\":10,\"id\":9,\"likes\":13,\"photos\":[11,12]}", View.class)).isEqualTo(view);
        assertThat(refusal("{\"id\":\"\"}", View.class))
            .isEqualTo("Cannot deserialize value of type `long` from String \"\": " + RULE);
        assertThat(refusal("{\"photos\":[\"x\"]}", View.class))
            .isEqualTo("Cannot deserialize value of type `java.lang.Long` from String \"x\": " + RULE);
    }

    @Test
    void serializesArraysByOneAnnotation() {
        Arrays arrays = read("{\"ids\":[\"9007199254740993\",2],\"others\":[\"3\",null,4]}", Arrays.class);

        assertThat(arrays.ids).containsExactly(Like.BEYOND_JAVASCRIPT, 2);
        assertThat(arrays.others).containsExactly(3L, null, 4L);
        assertSameJson(write(arrays), "{\"ids\":[\"9007199254740993\",\"2\"],\"others\":[\"3\",null,\"4\"]}");
        assertThat(refusal("{\"ids\":[\"x\"]}", Arrays.class))
            .isEqualTo("Cannot deserialize value of type `long` from String \"x\": " + RULE);
        assertThat(refusal("{\"others\":[\"x\"]}", Arrays.class))
            .isEqualTo("Cannot deserialize value of type `java.lang.Long` from String \"x\": " + RULE);
    }

    @Test
    void serializesKeysAndValuesOfMapsByOneAnnotation() {
        Maps maps = new Maps(Map.of(9L, "nine"), Map.of("ten", 10L));
        String json = "{\"captions\":{\"9\":\"nine\"},\"byName\":{\"ten\":\"10\"}}";

        assertSameJson(write(maps), json);
        assertThat(read(json, Maps.class)).isEqualTo(maps);
        assertThat(read("{\"captions\":{},\"byName\":{\"ten\":10}}", Maps.class).byName()).containsEntry("ten", 10L);
        assertThat(refusal("{\"captions\":{\"+9\":\"nine\"}}", Maps.class))
            .isEqualTo("Cannot deserialize Map key of type `java.lang.Long` from String \"+9\": " + RULE);
        assertThat(refusal("{\"byName\":{\"ten\":\"\"}}", Maps.class))
            .isEqualTo("Cannot deserialize value of type `java.lang.Long` from String \"\": " + RULE);
    }

    @Test
    void serializesProjectionsByOneAnnotation() {
        Projection projection = () -> 9;

        assertSameJson(writeAs(Projection.class, projection), "{\"id\":\"9\"}");
    }

    record View(@JsonShardedId long id, @JsonShardedId Long author, @JsonShardedId List<Long> photos, long likes) {
    }

    record Maps(@JsonShardedId Map<Long, String> captions, @JsonShardedId Map<String, Long> byName) {
    }

    static class Arrays {

        @JsonShardedId
        public long[] ids;

        @JsonShardedId
        public Long[] others;

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
