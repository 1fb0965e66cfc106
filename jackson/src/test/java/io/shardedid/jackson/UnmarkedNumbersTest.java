package io.shardedid.jackson;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/** What the log says of numbers that could be ids, whichever Jackson writes them. */
class UnmarkedNumbersTest {

    private static final long ID = Like.BEYOND_JAVASCRIPT;

    private static final Logger LOGGER = Logger.getLogger(UnmarkedNumbers.class.getName());

    private final List<String> lines = new ArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            UnmarkedNumbersTest.this.lines.add(line.getMessage());
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    private final UnmarkedNumbers numbers = UnmarkedNumbers.watched((number) -> number != ID + 1);

    private final JsonMapper jackson3 = JsonMapper.builder()
        .addModule(new ShardedIdJacksonModule(JsonIds.NOTHING_MORE, this.numbers, IdTexts.unconfigured()))
        .build();

    private final ObjectMapper jackson2 = jackson2().build();

    @BeforeEach
    void listen() {
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(this.handler);
    }

    @AfterEach
    void stop() {
        LOGGER.removeHandler(this.handler);
        LOGGER.setUseParentHandlers(true);
    }

    @Test
    void namesAMemberOnceForBothJacksons() throws Exception {
        for (int i = 0; i < 3; i++) {
            write(new View(ID, 5));
        }

        assertThat(this.lines)
            .containsExactly("JSON carries what looks like an id as a number, which JavaScript rounds: member='id' of '"
                    + View.class.getName() + "', number=9007199254740993 (once for each member); annotate the member "
                    + "with '@JsonShardedId', or set 'shardedid.json.as-string=unsafe'");
    }

    @Test
    void namesWhatIsNoMemberByItsPlace() throws Exception {
        write(ID);
        write(List.of(ID, ID));
        write(Map.of("id", ID, "next", new AtomicLong(ID)));

        assertThat(this.lines).hasSize(3)
            .satisfiesExactly((line) -> assertThat(line).contains("member=a bare value, "),
                    (line) -> assertThat(line).contains("member=an element of a list, "),
                    (line) -> assertThat(line).contains("member=a value of a map, ")
                        .endsWith("put it into a record whose member has '@JsonShardedId', or set "
                                + "'shardedid.json.as-string=unsafe'"));
    }

    @Test
    void looksIntoArraysAndCollectionsOfAMember() throws Exception {
        write(new Many(new long[] { 1, ID }, List.of(ID), Map.of("a", List.of(ID))));

        assertThat(this.lines).hasSize(3)
            .satisfiesExactlyInAnyOrder((line) -> assertThat(line).contains("'array' of '" + Many.class.getName()),
                    (line) -> assertThat(line).contains("'list' of '" + Many.class.getName()),
                    (line) -> assertThat(line).contains("'map' of '" + Many.class.getName()));
    }

    @Test
    void isSilentAboutWhatIsNoIdOrSaysItsForm() throws Exception {
        write(new View(ID + 1, ID - 2));
        write(new View(-ID, Long.MIN_VALUE));
        write(new Said(ID, ID, ID));

        assertThat(this.lines).isEmpty();
    }

    /** The application's own serializer, its defaults for a type, or its features. */
    @Test
    void isSilentWhereTheMapperWritesTexts() throws Exception {
        List<JsonMapper> mappers3 = List.of(
                this.jackson3.rebuild()
                    .addModule(new SimpleModule("texts").addSerializer(Long.class, ToStringSerializer.instance)
                        .addSerializer(long.class, ToStringSerializer.instance)
                        .addSerializer(long[].class, new Texts3()))
                    .build(),
                this.jackson3.rebuild()
                    .withConfigOverride(Long.class,
                            (form) -> form.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING)))
                    .build(),
                this.jackson3.rebuild().enable(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS).build());
        List<ObjectMapper> mappers2 = List.of(
                jackson2()
                    .addModule(new com.fasterxml.jackson.databind.module.SimpleModule("texts")
                        .addSerializer(Long.class, com.fasterxml.jackson.databind.ser.std.ToStringSerializer.instance)
                        .addSerializer(long.class, com.fasterxml.jackson.databind.ser.std.ToStringSerializer.instance)
                        .addSerializer(long[].class, new Texts2()))
                    .build(),
                jackson2().withConfigOverride(Long.class,
                        (form) -> form.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING)))
                    .build(),
                jackson2().enable(com.fasterxml.jackson.core.json.JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS).build());
        for (Object value : List.of(ID, List.of(ID), Map.of("id", ID), new Boxed(ID), new Long[] { ID })) {
            for (JsonMapper mapper : mappers3) {
                assertThat(mapper.writeValueAsString(value)).contains("\"" + ID + "\"");
            }
            for (ObjectMapper mapper : mappers2) {
                assertThat(mapper.writeValueAsString(value)).contains("\"" + ID + "\"");
            }
        }
        assertThat(mappers3.get(0).writeValueAsString(new long[] { ID })).isEqualTo("[\"" + ID + "\"]");
        assertThat(mappers2.get(0).writeValueAsString(new long[] { ID })).isEqualTo("[\"" + ID + "\"]");
        assertThat(this.lines).isEmpty();

        write(ID);
        assertThat(this.lines).as("of other mappers").hasSize(1);
    }

    @Test
    void namesWhatAnOwnSerializerWritesAsANumber() throws Exception {
        JsonMapper mapper = this.jackson3.rebuild()
            .addModule(new SimpleModule("numbers").addSerializer(Long.class, new Numbers()))
            .build();

        assertThat(mapper.writeValueAsString(ID)).isEqualTo(Long.toString(ID));
        assertThat(this.lines).hasSize(1);
    }

    @Test
    void logsFiftyLinesAtMost() throws Exception {
        for (int i = 0; i < 60; i++) {
            this.numbers.member(View.class, "member" + i).log(ID);
        }
        write(ID);

        assertThat(this.lines).hasSize(50);
        assertThat(this.lines.get(49)).endsWith(" (this is the last such line of this application)");
    }

    private void write(Object value) throws Exception {
        assertThat(this.jackson3.writeValueAsString(value)).isNotEmpty();
        assertThat(this.jackson2.writeValueAsString(value)).isNotEmpty();
    }

    private com.fasterxml.jackson.databind.json.JsonMapper.Builder jackson2() {
        return com.fasterxml.jackson.databind.json.JsonMapper.builder()
            .addModule(new ShardedIdJackson2Module(JsonIds.NOTHING_MORE, this.numbers, IdTexts.unconfigured()));
    }

    /** Says nothing of what it writes to who asks for the format. */
    private static final class Numbers extends StdSerializer<Long> {

        Numbers() {
            super(Long.class);
        }

        @Override
        public void serialize(Long number, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(number);
        }

    }

    private static final class Texts3 extends StdSerializer<long[]> {

        Texts3() {
            super(long[].class);
        }

        @Override
        public void serialize(long[] numbers, JsonGenerator generator, SerializationContext context) {
            generator.writeStartArray();
            for (long number : numbers) {
                generator.writeString(Long.toString(number));
            }
            generator.writeEndArray();
        }

    }

    private static final class Texts2 extends com.fasterxml.jackson.databind.ser.std.StdSerializer<long[]> {

        private static final long serialVersionUID = 1L;

        Texts2() {
            super(long[].class);
        }

        @Override
        public void serialize(long[] numbers, com.fasterxml.jackson.core.JsonGenerator generator,
                SerializerProvider context) throws IOException {
            generator.writeStartArray();
            for (long number : numbers) {
                generator.writeString(Long.toString(number));
            }
            generator.writeEndArray();
        }

    }

    record View(long id, long bytes) {
    }

    record Boxed(Long id) {
    }

    record Many(long[] array, List<Long> list, Map<String, List<Long>> map) {
    }

    record Said(@JsonShardedId long id, @JsonFormat(shape = JsonFormat.Shape.NUMBER) long number,
            @JsonFormat(shape = JsonFormat.Shape.STRING) long text) {
    }

}
