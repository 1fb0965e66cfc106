package io.shardedid.hibernate;

import java.util.List;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.envers.AuditReader;
import org.hibernate.envers.AuditReaderFactory;
import org.hibernate.envers.Audited;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Entities whose revisions Envers keeps.
 */
class EnversTest {

    @Test
    void revisionsCarryTheIdOfTheirRow() {
        try (ShardedIdEngine ids = TestUnit.engine(29); TestUnit unit = TestUnit.with(ids, Note.class)) {
            Note note = new Note();
            note.userId = 5;
            note.body = "first";
            unit.persist(note);
            unit.inTransaction((session) -> session.find(Note.class, note.id).body = "second");

            assertThat(ids.shardOf(note.id)).isEqualTo(5);
            List<String> bodies = unit.fromTransaction((session) -> {
                AuditReader reader = AuditReaderFactory.get(session);
                return reader.getRevisions(Note.class, note.id)
                    .stream()
                    .map((revision) -> reader.find(Note.class, note.id, revision).body)
                    .toList();
            });
            assertThat(bodies).containsExactly("first", "second");
        }
    }

    @Entity(name = "Note")
    @Audited
    static class Note {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

        String body;

    }

}
