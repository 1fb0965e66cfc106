package io.shardedid.hibernate;

import java.util.List;
import java.util.Locale;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ids of type {@code String}: 19 decimal digits, so that texts sort as the ids do.
 */
@Tag("every-database")
class TextIdTest {

    private static final String HERE = TextIdTest.class.getName() + "$";

    private static final NumberForm TEXT = new NumberForm(true, null);

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Note.class, Reply.class, Like.class, Event.class);

    @Test
    void nineteenDigits() {
        Note note = new Note();
        note.userId = 4_005;
        assertThat(unit.statementsToPersist(note)).containsExactly("insert");
        assertThat(note.id).matches("[0-9]{19}");
        assertThat(unit.shardOf(Long.parseLong(note.id))).isEqualTo(5);
        assertThat(unit.find(Note.class, note.id).userId).isEqualTo(4_005);
    }

    @Test
    void sortsAsTheNumbersDo() {
        assertThat(List.of(1L, 9L, 10L, 1L << 62, Long.MAX_VALUE).stream().map(TEXT::valueOf)).isSorted()
            .containsExactly("0000000000000000001", "0000000000000000009", "0000000000000000010", "4611686018427387904",
                    "9223372036854775807");
    }

    /** Stored rows have such texts. */
    @ParameterizedTest
    @CsvFileSource(resources = "/frozen/texts.csv", delimiter = ';')
    void isReadAndWrittenAsRecorded(long id, String text) {
        assertThat(TEXT.valueOf(id)).isEqualTo(text);
        assertThat(TEXT.idOf(text)).isEqualTo(id);
    }

    @Test
    void handsTheShardOn() {
        Note note = new Note();
        note.userId = 6;
        Reply reply = new Reply();
        reply.note = note;
        assertThat(unit.statementsToPersist(note, reply)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(reply.id)).isEqualTo(6);
    }

    @Test
    void handsTheShardOnWhenDetached() {
        Note note = new Note();
        note.userId = 8;
        unit.persist(note);
        Reply reply = new Reply();
        reply.note = note;
        assertThat(unit.statementsToPersist(reply)).containsExactly("insert");
        assertThat(unit.shardOf(reply.id)).isEqualTo(8);
    }

    @Test
    void colocatesWithAText() {
        Note note = new Note();
        note.userId = 7;
        unit.persist(note);
        Like like = new Like(note.id);
        assertThat(unit.statementsToPersist(like)).containsExactly("insert");
        assertThat(unit.shardOf(like.id)).isEqualTo(7);
    }

    @Test
    void colocatesWithATextWithoutLeadingZeros() {
        Like like = new Like(String.valueOf(unit.ids().next(42)));
        assertThat(unit.statementsToPersist(like)).containsExactly("insert");
        assertThat(unit.shardOf(like.id)).isEqualTo(42);
    }

    @Test
    void refusesToColocateWithATextThatIsNoId() {
        for (String text : List.of("ada", "", " 1", "-1", "\u0661", "9223372036854775808")) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(new Like(text)))
                .withMessageContainingAll("value='" + text + "'", HERE + "Like", "shardKey");
        }
        unit.persist(new Like("1"));
    }

    @Test
    void keepsAnAssignedText() {
        Event event = new Event();
        event.userId = 9;
        event.id = String.format(Locale.ROOT, "%019d", unit.ids().nextFor(9L));
        String assigned = event.id;
        unit.persist(event);
        assertThat(unit.find(Event.class, assigned).userId).isEqualTo(9);
    }

    @Test
    void refusesAnAssignedTextThatWouldNotSort() {
        String unpadded = String.valueOf(unit.ids().nextFor(9L));
        for (String text : List.of(unpadded, "ada", "")) {
            Event event = new Event();
            event.userId = 9;
            event.id = text;
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(event))
                .withMessageContainingAll("id='" + text + "'", HERE + "Event", "ShardedIds");
        }
        unit.persist(new Like("1"));
    }

    @Entity(name = "TextNote")
    static class Note {

        @Id
        @ShardedId(shardKey = "userId")
        @Column(length = 19)
        String id;

        long userId;

    }

    @Entity(name = "TextReply")
    static class Reply {

        @Id
        @ShardedId(shardKey = "note")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Note note;

    }

    @Entity(name = "TextLike")
    static class Like {

        @Id
        @ShardedId(colocateWith = "noteId")
        Long id;

        String noteId;

        Like() {
        }

        Like(String noteId) {
            this.noteId = noteId;
        }

    }

    @Entity(name = "TextEvent")
    static class Event {

        @Id
        @ShardedId(shardKey = "userId", allowAssigned = true)
        @Column(length = 19)
        String id;

        long userId;

    }

}
