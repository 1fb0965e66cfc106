package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.annotations.SoftDelete;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows that are marked instead of deleted.
 */
class SoftDeleteTest {

    @Test
    void persistsAndMarksAsDeleted() {
        try (ShardedIdEngine ids = TestUnit.engine(19); TestUnit unit = TestUnit.with(ids, Note.class)) {
            Note note = new Note();
            note.userId = 5;
            unit.persist(note);
            assertThat(ids.shardOf(note.id)).isEqualTo(5);
            unit.inTransaction((session) -> session.remove(session.find(Note.class, note.id)));
            assertThat(unit.<Note>fromTransaction((session) -> session.find(Note.class, note.id))).isNull();
            assertThat(unit.<Long>fromTransaction(
                    (session) -> session.createNativeQuery("select id from Note where deleted = true", Long.class)
                        .getSingleResult()))
                .isEqualTo(note.id);
        }
    }

    @Entity(name = "Note")
    @SoftDelete
    static class Note {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

}
