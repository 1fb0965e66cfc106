package io.shardedid.jackson;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.format.PublicIdFormats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

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
        .addModule(new ShardedIdJacksonModule(JsonIds.NOTHING_MORE, this.numbers, PublicIdFormats.decimal()))
        .build();

    private final com.fasterxml.jackson.databind.json.JsonMapper jackson2 = com.fasterxml.jackson.databind.json.JsonMapper
        .builder()
        .addModule(new ShardedIdJackson2Module(JsonIds.NOTHING_MORE, this.numbers, PublicIdFormats.decimal()))
        .build();

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

    @Test
    void logsFiftyLinesAtMost() {
        for (int i = 0; i < 60; i++) {
            this.numbers.member(View.class, "member" + i).leaves(ID);
        }

        assertThat(this.lines).hasSize(50);
        assertThat(this.lines.get(49)).endsWith(" (this is the last such line of this process)");
    }

    private void write(Object value) throws Exception {
        assertThat(this.jackson3.writeValueAsString(value)).isNotEmpty();
        assertThat(this.jackson2.writeValueAsString(value)).isNotEmpty();
    }

    record View(long id, long bytes) {
    }

    record Many(long[] array, List<Long> list, Map<String, List<Long>> map) {
    }

    record Said(@JsonShardedId long id, @JsonFormat(shape = JsonFormat.Shape.NUMBER) long number,
            @JsonFormat(shape = JsonFormat.Shape.STRING) long text) {
    }

}
