package io.shardedid.jackson;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.shardedid.jackson.IdShapes.Read;
import io.shardedid.jackson.IdShapes.Shape;
import io.shardedid.jackson.IdShapes.Written;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What {@link IdShapes} says of a mapper. */
public abstract class IdShapesCheck {

    /** What no id is. */
    private static final List<String> BAD = List.of("12.5", "\"12.5\"", "\"\"", "\" \"", "\" 12\"", "\"+12\"", "\"012\"",
            "\"0x1f\"", "\"\u0661\u0662\"", "true", "9223372036854775808", "\"9223372036854775808\"", "{}");

    private static final Logger LOGGER = Logger.getLogger(UnmarkedNumbers.class.getName());

    private final List<String> lines = new ArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            IdShapesCheck.this.lines.add(line.getMessage());
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(this.handler);
    }

    @AfterEach
    void stop() {
        LOGGER.removeHandler(this.handler);
    }

    /** A mapper that has told nothing yet. */
    public interface Mapper {

        /**
         * Writes JSON.
         * @param value a value
         * @return the JSON
         * @throws Exception if it cannot
         */
        String write(Object value) throws Exception;

        /**
         * Reads JSON.
         * @param json the JSON
         * @param type the class to read
         * @return the value
         * @throws Exception if it cannot
         */
        Object read(String json, Class<?> type) throws Exception;

    }

    protected final void hold(Shape shape, Mapper mapper) throws Exception {
        assertThat(mapper.write(shape.value())).isEqualTo(shape.expected());
        assertThat(mapper.write(shape.value())).isEqualTo(shape.expected());
        if (shape.written() == Written.WARNED) {
            assertThat(this.lines).singleElement()
                .asString()
                .contains("member=" + shape.where(), "number=" + IdShapes.ID, "'@JsonShardedId'");
        }
        else {
            assertThat(this.lines).isEmpty();
        }
        if (shape.read() != Read.NOT) {
            read(shape, mapper);
        }
    }

    private void read(Shape shape, Mapper mapper) throws Exception {
        Class<?> type = shape.value().getClass();
        for (String id : List.of("\"" + IdShapes.ID + "\"", Long.toString(IdShapes.ID))) {
            String json = shape.json().replace("#", id);
            assertThat(mapper.write(mapper.read(json, type))).as(json).isEqualTo(shape.expected());
        }
        if (shape.read() == Read.LENIENT) {
            return;
        }
        for (String bad : BAD) {
            String json = shape.json().replace("#", bad);
            assertThat(where(() -> mapper.read(json, type))).as(json).isEqualTo(shape.where());
        }
        String json = shape.json().replace("#", "null");
        if (shape.read() == Read.STRICT) {
            // of an array Jackson names no element
            assertThat(shape.where()).as(json).startsWith(where(() -> mapper.read(json, type)));
        }
        else {
            mapper.read(json, type);
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

}
