package io.shardedid.jackson;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;
import java.util.stream.Stream;

import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.shardedid.jackson.IdShapes.Read;
import io.shardedid.jackson.IdShapes.Shape;
import io.shardedid.jackson.IdShapes.Written;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Every shape of an id, with both Jacksons. */
class IdShapesTest {

    /** What no id is. */
    private static final List<String> BAD = List.of("12.5", "\"12.5\"", "\"\"", "\" \"", "\" 12\"", "\"+12\"",
            "\"012\"", "\"0x1f\"", "\"\u0661\u0662\"", "true", "9223372036854775808", "\"9223372036854775808\"", "{}");

    private static final Logger LOGGER = Logger.getLogger(UnmarkedNumbers.class.getName());

    private final List<String> lines = new ArrayList<>();

    @BeforeEach
    void listen() {
        LOGGER.setFilter((line) -> this.lines.add(line.getMessage()));
    }

    @AfterEach
    void stop() {
        LOGGER.setFilter(null);
    }

    static Stream<Shape> shapes() throws Exception {
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
        hold(shape, mapper::writeValueAsString, mapper::readValue);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void withJackson2(Shape shape) throws Exception {
        com.fasterxml.jackson.databind.json.JsonMapper mapper = com.fasterxml.jackson.databind.json.JsonMapper.builder()
            .addModules(List.of(new Jdk8Module(), new ShardedIdJackson2Module(watched())))
            .addMixIn(Mixed.class, Mark.class)
            .build();
        hold(shape, mapper::writeValueAsString, mapper::readValue);
    }

    /** Jackson 2 does not hand the format on to an entry. */
    @Test
    void entryIsAStringWithJackson3() throws Exception {
        Object entry = new OfEntry(Map.entry("a", IdShapes.ID));

        withJackson3(new Shape("entry", entry, "{\"id\":{\"a\":#}}", Written.STRING, Read.NOT, ""));
        withJackson2(new Shape("entry", entry, "{\"id\":{\"a\":#}}", Written.WARNED, Read.NOT, "a value of a map"));
    }

    private void hold(Shape shape, Writer writer, Reader reader) throws Exception {
        assertThat(writer.write(shape.value())).isEqualTo(shape.expected());
        assertThat(writer.write(shape.value())).isEqualTo(shape.expected());
        if (shape.written() == Written.WARNED) {
            assertThat(this.lines).singleElement()
                .asString()
                .contains("member=" + shape.where(), "number=" + IdShapes.ID, "'@JsonShardedId'");
        }
        else {
            assertThat(this.lines).isEmpty();
        }
        if (shape.read() != Read.NOT) {
            read(shape, writer, reader);
        }
    }

    private static void read(Shape shape, Writer writer, Reader reader) throws Exception {
        Class<?> type = shape.value().getClass();
        for (String id : List.of("\"" + IdShapes.ID + "\"", Long.toString(IdShapes.ID))) {
            String json = shape.json().replace("#", id);
            assertThat(writer.write(reader.read(json, type))).as(json).isEqualTo(shape.expected());
        }
        if (shape.read() == Read.LENIENT) {
            return;
        }
        for (String bad : BAD) {
            String json = shape.json().replace("#", bad);
            assertThat(where(() -> reader.read(json, type))).as(json).isEqualTo(shape.where());
        }
        String json = shape.json().replace("#", "null");
        if (shape.read() == Read.STRICT) {
            // of an array Jackson names no element
            assertThat(shape.where()).as(json).startsWith(where(() -> reader.read(json, type)));
        }
        else {
            reader.read(json, type);
        }
    }

    /** Where the exception says that there is no id. */
    private static String where(ThrowingCallable reading) {
        Throwable thrown = catchThrowable(reading);
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnreadableId id) {
                assertThat(id.getOriginalMessage()).contains("an id ");
                return id.where();
            }
        }
        return "no refusal: " + thrown;
    }

    private interface Writer {

        String write(Object value) throws Exception;

    }

    private interface Reader {

        Object read(String json, Class<?> type) throws Exception;

    }

    private static UnmarkedNumbers watched() {
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
