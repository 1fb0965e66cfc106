package io.shardedid.hibernate;

import java.time.Instant;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.AssignedModel.Event;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ids that the application assigns before it persists.
 */
class AssignedIdTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(6);
        unit = TestUnit.with(ids, Event.class, Primitive.class, Founder.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static String refusal(Object entity) {
        return assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(entity))
            .actual()
            .getMessage();
    }

    @Test
    void keepsAnIdOfTheRightShard() {
        Event event = new Event(ids.nextFor(5L), 5L);
        long assigned = event.id;
        unit.persist(event);
        assertThat(event.id).isEqualTo(assigned);
        assertThat(unit.fromTransaction((session) -> session.find(Event.class, assigned)).userId).isEqualTo(5);
    }

    @Test
    void keepsIdsThatRunAheadOfTheClockAsFarAsTheyMay() {
        long[] burst = new long[20_000];
        ids.next(5, burst);
        assertThat(ids.layout().instantOf(burst[burst.length - 1])).isAfter(ids.clock().instant());
        unit.persist(new Event(burst[burst.length - 1], 5L));
    }

    @Test
    void generatesWhenNothingIsAssigned() {
        Event event = new Event(null, 5L);
        Primitive primitive = new Primitive();
        primitive.userId = 5;
        unit.persist(event, primitive);
        assertThat(ids.shardOf(event.id)).isEqualTo(5);
        assertThat(ids.shardOf(primitive.id)).isEqualTo(5);
    }

    @Test
    void keepsAnAssignedPrimitive() {
        Primitive primitive = new Primitive();
        primitive.id = ids.nextFor(5L);
        primitive.userId = 5;
        long assigned = primitive.id;
        unit.persist(primitive);
        assertThat(primitive.id).isEqualTo(assigned);
    }

    /** Zero stands for none in a primitive alone. */
    @Test
    void keepsAnAssignedZero() {
        Founder founder = new Founder();
        founder.id = 0L;
        unit.persist(founder);
        assertThat(founder.id).isZero();
    }

    @Test
    void mergesAnAssignedIdOfANewEntity() {
        long assigned = ids.nextFor(5L);
        Event merged = unit.fromTransaction((session) -> session.merge(new Event(assigned, 5L)));
        assertThat(merged.id).isEqualTo(assigned);
    }

    @Test
    void refusesAnotherShard() {
        long assigned = ids.next(6);
        assertThat(refusal(new Event(assigned, 5L))).contains(Event.class.getName(), "'userId'", "shard=6", "key=5",
                "nextFor");
    }

    @Test
    void refusesATimeToCome() {
        Instant later = ids.clock().instant().plusSeconds(60);
        long assigned = ids.layout().compose(ids.layout().tickAt(later), 5, 0, 0);
        assertThat(refusal(new Event(assigned, 5L))).contains(Event.class.getName(), "id='" + assigned + "'",
                "time=" + ids.layout().instantOf(assigned), "ShardedIds");
    }

    @Test
    void refusesANegativeId() {
        assertThat(refusal(new Event(-7L, 5L))).contains("id='-7'", Event.class.getName(), "ShardedIds");
    }

    @Test
    void refusesAShardThatThereIsNot() {
        Founder founder = new Founder();
        founder.id = ids.layout().compose(1, 2_000, 0, 0);
        assertThat(refusal(founder)).contains("[0, 1999]", "id=" + founder.id, "shard=2000", "layout");
    }

    @Entity(name = "PrimitiveEvent")
    static class Primitive {

        @Id
        @ShardedId(shardKey = "userId", allowAssigned = true)
        long id;

        long userId;

    }

    @Entity(name = "Founder")
    static class Founder {

        @Id
        @ShardedId(allowAssigned = true)
        Long id;

    }

}
