package io.shardedid.hibernate;

import java.util.Objects;

import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code @EmbeddedId} with the annotation on one of its parts.
 */
class EmbeddedIdMappingTest {

    private static final String HERE = EmbeddedIdMappingTest.class.getName() + "$";

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Order.class, RecordOrder.class, Note.class, TextNote.class, Line.class,
            Reply.class, ByOutside.class);

    @Test
    void classWithAKeyInside() {
        Order order = new Order();
        order.id.customer = 16;
        assertThat(unit.statementsToPersist(order)).containsExactly("insert");
        assertThat(unit.shardOf(order.id.number)).isEqualTo(16);
        assertThat(unit.find(Order.class, order.id)).isNotNull();
    }

    @Test
    void recordWithAKeyInside() {
        RecordOrder order = new RecordOrder();
        order.id = new RecordOrderId(18, null);
        assertThat(unit.statementsToPersist(order)).containsExactly("insert");
        assertThat(unit.shardOf(order.id.number())).isEqualTo(18);
        assertThat(order.id.customer()).isEqualTo(18);
    }

    @Test
    void keyOutsideTheId() {
        ByOutside entity = new ByOutside();
        entity.userId = 20;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id.number())).isEqualTo(20);
    }

    @Test
    void recordThatWrapsTheId() {
        Note note = new Note();
        Reply reply = new Reply();
        reply.note = note;
        assertThat(unit.statementsToPersist(note, reply)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(reply.id)).isEqualTo(unit.shardOf(note.id.number()));
    }

    @Test
    void recordThatWrapsATextId() {
        TextNote note = new TextNote();
        assertThat(unit.statementsToPersist(note)).containsExactly("insert");
        assertThat(note.id.text()).hasSize(19);
        assertThat(unit.find(TextNote.class, new TextNoteId(note.id.text()))).isNotNull();
    }

    @Test
    void associationToAPartOfTheId() {
        Order order = new Order();
        order.id.customer = 19;
        Line line = new Line();
        line.order = order;
        assertThat(unit.statementsToPersist(order, line)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(line.id)).isEqualTo(19);
    }

    @Test
    void refusesAnAssociationToTheWholeId() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(unit.ids(), Order.class, WholeOrder.class).close())
            .withMessageContainingAll("order", HERE + "WholeOrder.id", "order.id.customer");
    }

    @Embeddable
    static class OrderId {

        long customer;

        @ShardedId(shardKey = "id.customer")
        @Column(name = "order_number")
        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof OrderId that && this.customer == that.customer
                    && Objects.equals(this.number, that.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.customer, this.number);
        }

    }

    @Entity(name = "ClassOrder")
    static class Order {

        @EmbeddedId
        OrderId id = new OrderId();

    }

    @Embeddable
    record RecordOrderId(long customer,
            @ShardedId(shardKey = "id.customer") @Column(name = "order_number") Long number) {
    }

    @Entity(name = "RecordOrder")
    static class RecordOrder {

        @EmbeddedId
        RecordOrderId id;

    }

    @Embeddable
    record NumberByUser(@ShardedId(shardKey = "userId") @Column(name = "own_number") Long number) {
    }

    @Entity(name = "KeyOutsideId")
    static class ByOutside {

        @EmbeddedId
        NumberByUser id = new NumberByUser(null);

        long userId;

    }

    @Embeddable
    record NoteId(@ShardedId @Column(name = "note_number") Long number) {
    }

    @Entity(name = "WrappedNote")
    static class Note {

        @EmbeddedId
        NoteId id = new NoteId(null);

    }

    @Embeddable
    record TextNoteId(@ShardedId @Column(name = "note_text", length = 19) String text) {
    }

    @Entity(name = "WrappedTextNote")
    static class TextNote {

        @EmbeddedId
        TextNoteId id = new TextNoteId(null);

    }

    @Entity(name = "WrappedReply")
    static class Reply {

        @Id
        @ShardedId(shardKey = "note.id.number")
        Long id;

        @ManyToOne
        Note note;

    }

    @Entity(name = "OrderLine")
    static class Line {

        @Id
        @ShardedId(shardKey = "order.id.number")
        Long id;

        @ManyToOne
        Order order;

    }

    @Entity(name = "WholeOrder")
    static class WholeOrder {

        @Id
        @ShardedId(shardKey = "order")
        Long id;

        @ManyToOne
        Order order;

    }

}
