package io.shardedid.repository;

import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.data.Order;
import jakarta.data.Sort;
import jakarta.data.exceptions.EmptyResultException;
import jakarta.data.page.PageRequest;
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

    /** {@code save} is what all texts on Jakarta Data begin with. */
    @Test
    void saveInsertsANewRowWithAnIdOfItsShard() {
        Note note = new Note(8, "new");
        Note[] more = { new Note(9, "one"), new Note(8, "two") };
        inTransaction((notes) -> notes.save(note));
        inTransaction((notes) -> notes.saveEach(more));

        assertThat(ids.shardOf(note.id)).isEqualTo(8);
        assertThat(more).extracting((each) -> ids.shardOf(each.id)).containsExactly(9, 8);
        inTransaction((notes) -> assertThat(notes.find(more[1].id).body).isEqualTo("two"));
        assertThatThrownBy(() -> inTransaction((notes) -> notes.find(1))).isInstanceOf(EmptyResultException.class);
    }

    @Test
    void deletesSeveral() {
        List<Note> all = List.of(new Note(5, "one"), new Note(6, "two"));
        inTransaction((notes) -> notes.insertAll(all));
        inTransaction((notes) -> notes.deleteAll(all));
        inTransaction((notes) -> assertThat(notes.between(all.get(0).id, Long.MAX_VALUE)).isEmpty());
    }

    @Test
    void saveOfAListInsertsNewRows() {
        List<Note> notes = List.of(new Note(8, "new"), new Note(9, "too"));
        inTransaction((repository) -> repository.saveAll(notes));

        assertThat(notes).extracting((note) -> ids.shardOf(note.id)).containsExactly(8, 9);
        inTransaction((repository) -> assertThat(repository.find(notes.get(1).id).body).isEqualTo("too"));
    }

    @Test
    void everyMethodOfACrudRepositoryWorks() {
        Note saved = new Note(10, "saved");
        List<Note> allSaved = List.of(new Note(11, "all"), new Note(12, "saved"));
        Note inserted = new Note(13, "inserted");
        List<Note> allInserted = List.of(new Note(14, "all"), new Note(15, "inserted"));
        everyNote((notes) -> {
            notes.save(saved);
            notes.insert(inserted);
            notes.insertAll(allInserted);
        });
        // Hibernate upserts the list, whatever makes the ids
        assertThatThrownBy(() -> everyNote((notes) -> notes.saveAll(allSaved))).rootCause()
            .hasMessageContaining("Object passed to upsert() has an unsaved identifier value");
        everyNote((notes) -> notes.insertAll(allSaved));
        List<Note> all = Stream.of(List.of(saved, inserted), allSaved, allInserted).flatMap(List::stream).toList();
        assertThat(all).allSatisfy((note) -> assertThat(ids.shardOf(note.id)).isEqualTo((int) note.userId));

        all.forEach((note) -> note.body += "!");
        everyNote((notes) -> {
            notes.update(saved);
            notes.updateAll(allInserted);
            notes.saveAll(allSaved);
            notes.save(inserted);
        });
        everyNote((notes) -> {
            assertThat(notes.findById(saved.id)).get().extracting((note) -> note.body).isEqualTo("saved!");
            assertThat(notes.findAll()).extracting((note) -> note.body)
                .contains("saved!", "inserted!", "all!", "all!", "saved!", "inserted!");
            assertThat(notes.findAll(PageRequest.ofSize(2), Order.by(Sort.desc("id"))).content())
                .extracting((note) -> note.id)
                .isSortedAccordingTo(Comparator.reverseOrder());
        });
        everyNote((notes) -> {
            notes.delete(saved);
            notes.deleteById(inserted.id);
            notes.deleteAll(allSaved);
            notes.deleteAll(allInserted);
        });
        everyNote((notes) -> assertThat(all).allSatisfy((note) -> assertThat(notes.findById(note.id)).isEmpty()));
    }

    private static void everyNote(Consumer<EveryNote> work) {
        factory.inStatelessTransaction((session) -> work.accept(new EveryNote_(session)));
    }

    @Test
    void noSequenceIsMade() {
        assertThat(factory.<List<?>>fromTransaction((session) -> session
            .createNativeQuery("select sequence_name from information_schema.sequences", String.class)
            .getResultList())).isEmpty();
    }

}
