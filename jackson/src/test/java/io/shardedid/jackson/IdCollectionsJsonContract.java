package io.shardedid.jackson;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What JSON of ids is where one attribute holds many of them, whichever Jackson reads and
 * writes it.
 */
abstract class IdCollectionsJsonContract {

    static final String RULE = "an id must be a whole 64-bit number, as a string or a number";

    abstract String write(Object value);

    abstract String writeAs(Class<?> type, Object value);

    abstract <T> T read(String json, Class<T> type);

    /** What is told of a text that is refused, without where it stands. */
    abstract String refusal(String json, Class<?> type);

    /** What is told of a value that is refused. */
    abstract String refusal(Object value);

    /** In any order of properties. */
    static void assertSameJson(String json, String expected) {
        JsonMapper mapper = new JsonMapper();
        assertThat(mapper.readTree(json)).isEqualTo(mapper.readTree(expected));
    }

    @Test
    void writesAndReadsIdsAtAnyDepth() {
        String json = """
                {"lists":[["1","9007199254740993"],[]],"set":["3"],"byName":{"a":["4"]},
                "pairs":{"5":"6"},"deep":{"7":{"8":[["9"]]}},"list":[{"10":"11"}]}""";
        Nested nested = new Nested(List.of(List.of(1L, Like.BEYOND_JAVASCRIPT), List.of()), Set.of(3L),
                Map.of("a", List.of(4L)), Map.of(5L, 6L), Map.of(7L, Map.of(8L, List.of(Set.of(9L)))),
                List.of(Map.of(10L, 11L)));

        assertSameJson(write(nested), json);
        assertThat(read(json, Nested.class)).isEqualTo(nested);
        assertThat(read("""
                {"lists":[[1,9007199254740993],[]],"set":[3],"byName":{"a":[4]},
                "pairs":{"5":6},"deep":{"7":{"8":[[9]]}},"list":[{"10":11}]}""", Nested.class)).isEqualTo(nested);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = { "{\"lists\":[[\"\"]]} | value of type `java.lang.Long` from String \"\"",
                    "{\"byName\":{\"a\":[\"1.0\"]}} | value of type `java.lang.Long` from String \"1.0\"",
                    "{\"pairs\":{\"+1\":1}} | Map key of type `java.lang.Long` from String \"+1\"",
                    "{\"deep\":{\"1\":{\"x\":[]}}} | Map key of type `java.lang.Long` from String \"x\"",
                    "{\"deep\":{\"1\":{\"2\":[[\" 3\"]]}}} | value of type `java.lang.Long` from String \" 3\"" })
    void refusesWhatIsNoIdAtAnyDepth(String json, String what) {
        assertThat(refusal(json, Nested.class)).isEqualTo("Cannot deserialize " + what + ": " + RULE);
    }

    @Test
    void writesAndReadsArraysOfArrays() {
        Arrays arrays = read("{\"table\":[[\"9007199254740993\",2],[]],\"others\":[[\"3\",null],null]}", Arrays.class);

        assertThat(arrays.table).isDeepEqualTo(new long[][] { { Like.BEYOND_JAVASCRIPT, 2 }, {} });
        assertThat(arrays.others).isDeepEqualTo(new Long[][] { { 3L, null }, null });
        assertSameJson(write(arrays), "{\"table\":[[\"9007199254740993\",\"2\"],[]],\"others\":[[\"3\",null],null]}");
        assertThat(refusal("{\"table\":[[null]]}", Arrays.class)).isEqualTo("an id of type 'long' must not be null");
        assertThat(refusal("{\"table\":[[\"x\"]]}", Arrays.class))
            .isEqualTo("Cannot deserialize value of type `long` from String \"x\": " + RULE);
    }

    @Test
    void writesAndReadsOptionalIds() {
        String json = "{\"after\":\"1\",\"before\":\"9007199254740993\"}";
        Page page = new Page(Optional.of(1L), OptionalLong.of(Like.BEYOND_JAVASCRIPT));

        assertSameJson(write(page), json);
        assertThat(read(json, Page.class)).isEqualTo(page);
        assertThat(read("{\"after\":1,\"before\":9007199254740993}", Page.class)).isEqualTo(page);
        assertThat(read("{\"after\":null,\"before\":null}", Page.class))
            .isEqualTo(new Page(Optional.empty(), OptionalLong.empty()));
        assertThat(read("{}", Page.class).before()).isEqualTo(OptionalLong.empty());
        assertSameJson(write(new Page(Optional.empty(), OptionalLong.empty())), "{\"after\":null}");
        assertThat(refusal("{\"after\":\"x\"}", Page.class))
            .isEqualTo("Cannot deserialize value of type `java.lang.Long` from String \"x\": " + RULE);
        assertThat(refusal("{\"before\":\"\"}", Page.class))
            .isEqualTo("Cannot deserialize value of type `java.lang.Long` from String \"\": " + RULE);
    }

    @Test
    void leavesNumbersThatNobodyMarked() {
        Unmarked unmarked = new Unmarked(List.of(List.of(1L)), new long[] { 2 }, OptionalLong.of(3), Optional.of(4L),
                Map.of(5L, 6L), 7);

        // after the same types were seen with the mark
        write(new Nested(null, null, null, null, null, null));
        write(new Page(Optional.empty(), OptionalLong.empty()));
        read("{\"lists\":[[1]]}", Nested.class);
        assertSameJson(write(unmarked),
                "{\"lists\":[[1]],\"array\":[2],\"optional\":3,\"boxed\":4,\"pairs\":{\"5\":6},\"text\":\"7\"}");
        // Jackson's own reading takes more
        Unmarked read = read("{\"lists\":[[\"\"]],\"pairs\":{\"007\":6, \"+5\":6},\"text\":0}", Unmarked.class);
        assertThat(read.lists()).hasSize(1);
        assertThat(read.pairs()).containsOnlyKeys(7L, 5L);
    }

    @Test
    void annotationOfAConstructorParameterIsEnough() {
        String json = "{\"ids\":[[\"1\"]]}";

        assertThat(read(json, Made.class).getIds()).isEqualTo(List.of(List.of(1L)));
        assertThat(write(read(json, Made.class))).isEqualTo(json);
        assertThat(refusal("{\"ids\":[[\"1.0\"]]}", Made.class)).endsWith(RULE);
    }

    /** As Spring Data makes them. */
    @Test
    void proxiesOfProjectionsHaveThem() {
        Object projection = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Projection.class },
                (proxy, getter, arguments) -> getter.getName().equals("getId") ? (Object) 9L
                        : List.of(Like.BEYOND_JAVASCRIPT));

        assertSameJson(write(projection), "{\"id\":\"9\",\"likedBy\":[\"9007199254740993\"]}");
    }

    @Test
    void wrapperIsWrittenAsItsIdIs() {
        Wrappers wrappers = new Wrappers(new PictureId(1), List.of(new PictureId(Like.BEYOND_JAVASCRIPT)));
        String json = "{\"id\":\"1\",\"others\":[\"9007199254740993\"]}";

        assertSameJson(write(wrappers), json);
        assertThat(read(json, Wrappers.class)).isEqualTo(wrappers);
        assertThat(read("{\"id\":1,\"others\":[9007199254740993]}", Wrappers.class)).isEqualTo(wrappers);
    }

    @Test
    void valueDecidesWhatAnObjectIs() {
        assertThat(write(new Anything(Like.BEYOND_JAVASCRIPT))).isEqualTo("{\"value\":\"9007199254740993\"}");
        assertThat(write(new Anything("x"))).isEqualTo("{\"value\":\"x\"}");
    }

    @ParameterizedTest
    @ValueSource(classes = { Misplaced.OnInt.class, Misplaced.OnText.class, Misplaced.OnBeans.class })
    void refusesTheAnnotationWhereNoIdsAre(Class<?> type) throws ReflectiveOperationException {
        String told = told(type);

        assertThat(refusal(type.getDeclaredConstructor().newInstance())).endsWith(told);
        assertThat(refusal("{}", type)).endsWith(told);
    }

    private static String told(Class<?> type) throws NoSuchFieldException {
        String member = type.getDeclaredField("member").getGenericType().getTypeName().replace(", ", ",");
        return ("Could not find the ids of attribute 'member' of '%s': type=%s ('@JsonShardedId' fits 'long', 'Long', "
                + "'OptionalLong', and collections, arrays, maps and optionals of them); remove the annotation, or "
                + "mark the attributes of that type that hold ids")
            .formatted(type.getName(), member);
    }

    @Test
    void refusesToReadWhatItCouldNotTell() {
        assertThat(refusal("{}", Anything.class)).contains("Could not find the ids of attribute 'value'");
    }

    @Test
    void leavesAnnotationsThatSayMore() {
        assertThat(write(new Misplaced.OwnFormat())).isEqualTo("{\"member\":5}");
    }

    record Nested(@JsonShardedId List<List<Long>> lists, @JsonShardedId Set<Long> set,
            @JsonShardedId Map<String, List<Long>> byName, @JsonShardedId Map<Long, Long> pairs,
            @JsonShardedId Map<Long, Map<Long, List<Set<Long>>>> deep,
            @JsonShardedId Collection<Map<Long, Long>> list) {
    }

    record Page(@JsonShardedId Optional<Long> after,
            @JsonShardedId @JsonInclude(JsonInclude.Include.NON_ABSENT) OptionalLong before) {
    }

    record Unmarked(List<List<Long>> lists, long[] array, OptionalLong optional, Optional<Long> boxed,
            Map<Long, Long> pairs, @JsonFormat(shape = JsonFormat.Shape.STRING) long text) {
    }

    record PictureId(@JsonValue long value) {

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        PictureId {
        }

    }

    record Wrappers(@JsonShardedId PictureId id, @JsonShardedId List<PictureId> others) {
    }

    record Anything(@JsonShardedId Object value) {
    }

    static class Arrays {

        @JsonShardedId
        public long[][] table;

        @JsonShardedId
        public Long[][] others;

    }

    static class Made {

        private final List<List<Long>> ids;

        @JsonCreator
        Made(@JsonProperty("ids") @JsonShardedId List<List<Long>> ids) {
            this.ids = ids;
        }

        public List<List<Long>> getIds() {
            return this.ids;
        }

    }

    interface Projection {

        @JsonShardedId
        long getId();

        @JsonShardedId
        List<Long> getLikedBy();

    }

    /** Each has the annotation where it means nothing. */
    static final class Misplaced {

        static class OnInt {

            @JsonShardedId
            public int member;

        }

        static class OnText {

            @JsonShardedId
            public Map<Integer, String> member;

        }

        static class OnBeans {

            @JsonShardedId
            public List<OnInt> member;

        }

        static class OwnFormat {

            @JsonShardedId
            @JsonFormat(shape = JsonFormat.Shape.NUMBER)
            public int member = 5;

        }

    }

}
