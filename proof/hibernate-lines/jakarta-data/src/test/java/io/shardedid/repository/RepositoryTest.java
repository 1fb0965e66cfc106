package io.shardedid.repository;

import java.util.List;
import java.util.function.Consumer;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.worker.WorkerLeases;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Repositories of Jakarta Data, whose methods Hibernate writes over a stateless session.
 */
class RepositoryTest {

    static ShardedIdEngine ids;

    static SessionFactory factory;

    @BeforeAll
    static void open() {
        ids = ShardedIds.builder().workers(WorkerLeases.fixed(3)).open();
        factory = new MetadataSources(
                new StandardServiceRegistryBuilder().applySetting("hibernate.connection.url", "jdbc:h2:mem:notes")
                    .applySetting("hibernate.hbm2ddl.auto", "create")
                    .applySetting(ShardedIdSettings.ENGINE, ids)
                    .build())
            .addAnnotatedClass(Note.class)
            .buildMetadata()
            .buildSessionFactory();
    }

    @AfterAll
    static void close() {
        factory.close();
        ids.close();
    }

    private static void inTransaction(Consumer<Notes> work) {
        factory.inStatelessTransaction((session) -> work.accept(new Notes_(session)));
    }

    @Test
    void insertsWithAnIdOfItsShard() {
        Note one = new Note(5, "one");
        List<Note> more = List.of(new Note(6, "two"), new Note(5, "three"));
        inTransaction((notes) -> {
            notes.insert(one);
            notes.insertAll(more);
        });

        assertThat(ids.shardOf(one.id)).isEqualTo(5);
        assertThat(ids.shardOf(more.get(0).id)).isEqualTo(6);
        inTransaction((notes) -> assertThat(notes.between(one.id, Long.MAX_VALUE)).extracting((note) -> note.body)
            .contains("one", "two", "three"));
    }

    @Test
    void updatesSavesAndDeletesByItsId() {
        Note note = new Note(7, "old");
        inTransaction((notes) -> notes.insert(note));
        note.body = "new";
        inTransaction((notes) -> notes.update(note));
        inTransaction((notes) -> assertThat(notes.find(note.id).body).isEqualTo("new"));
        note.body = "newer";
        inTransaction((notes) -> notes.save(note));
        inTransaction((notes) -> assertThat(notes.find(note.id).body).isEqualTo("newer"));
        inTransaction((notes) -> notes.delete(note));
        inTransaction((notes) -> assertThat(notes.between(note.id, note.id)).isEmpty());
    }

    /** Hibernate's {@code upsert} asks no generator. */
    @Test
    void saveOfANewRowIsRefusedByHibernate() {
        assertThatThrownBy(() -> inTransaction((notes) -> notes.save(new Note(8, "new")))).rootCause()
            .hasMessageContaining("Object passed to upsert() has an unsaved identifier value");
    }

}
