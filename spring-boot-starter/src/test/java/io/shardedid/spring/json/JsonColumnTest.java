package io.shardedid.spring.json;

import io.shardedid.jackson.JsonShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.cfg.Configuration;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What Hibernate stores in a JSON column: its mapper looks for modules by itself. */
@Tag("slow")
class JsonColumnTest {

    @Test
    void storesMarkedMembersAsStringsAndReadsNumbers() {
        try (SessionFactory factory = new Configuration().addAnnotatedClass(Note.class)
            .setProperty("hibernate.connection.url", "jdbc:h2:mem:json-column")
            .setProperty("hibernate.hbm2ddl.auto", "create")
            .buildSessionFactory()) {
            Note note = new Note();
            note.id = 1;
            note.link = new Link(7, 8);
            factory.inTransaction((session) -> session.persist(note));

            String stored = factory.fromSession(
                    (session) -> session.createNativeQuery("select cast(link as varchar) from Note", String.class)
                        .getSingleResult());
            assertThat(stored).isEqualTo("{\"photo\":\"7\",\"likes\":8}");

            factory.inTransaction((session) -> session
                .createNativeMutationQuery("update Note set link = JSON '{\"photo\":9,\"likes\":8}'")
                .executeUpdate());
            Note read = factory.fromSession((session) -> session.find(Note.class, 1L));
            assertThat(read.link).isEqualTo(new Link(9, 8));
        }
    }

    @Entity(name = "Note")
    static class Note {

        @Id
        long id;

        @JdbcTypeCode(SqlTypes.JSON)
        Link link;

    }

    record Link(@JsonShardedId long photo, long likes) {
    }

}
