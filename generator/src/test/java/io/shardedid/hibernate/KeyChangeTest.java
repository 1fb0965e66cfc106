package io.shardedid.hibernate;

import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.ConstraintMode;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.ForeignKey;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Updates that take a shard key to another shard.
 */
class KeyChangeTest {

    private static final String HERE = KeyChangeTest.class.getName() + "$";

    static ShardedIdEngine ids;

    static TestUnit refusing;

    private User author;

    private Photo photo;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(23);
        refusing = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "shardedid.on-key-change", "fail"), User.class,
                Photo.class, Note.class, Article.class, Ticket.class, Album.class, Page.class);
    }

    @AfterAll
    static void close() {
        refusing.close();
        ids.close();
    }

    @BeforeEach
    void persist() {
        this.author = new User();
        this.photo = new Photo(this.author, 5);
        refusing.persist(this.author, this.photo);
        refusing.jdbc.drain();
    }

    private void refused(String key, Object shard, Consumer<Session> update) {
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> refusing.inTransaction(update))
            .withMessageContainingAll(fields("Photo", key, this.photo.id, shard));
        assertThat(refusing.jdbc.drain()).noneMatch((entry) -> entry.contains("update "));
    }

    private static String[] fields(String entity, String key, Long id, Object shard) {
        return new String[] { HERE + entity, "'" + key + "'", "id=" + id, "id=" + ids.shardOf(id), "key=" + shard,
                "shardedid.on-key-change" };
    }

    private static User otherAuthor(User author) {
        User other;
        do {
            other = new User();
            refusing.persist(other);
        }
        while (ids.shardOf(other.id) == ids.shardOf(author.id));
        refusing.jdbc.drain();
        return other;
    }

    @Test
    void allowsByDefaultAndTheIdKeepsItsShard() {
        try (TestUnit allowing = TestUnit.with(ids, Note.class)) {
            Note note = new Note(5L);
            allowing.persist(note);
            allowing.inTransaction((session) -> session.find(Note.class, note.id).place.userId = 6L);
            Note found = allowing.fromTransaction((session) -> session.find(Note.class, note.id));
            assertThat(found.place.userId).isEqualTo(6);
            assertThat(ids.shardOf(found.id)).isEqualTo(5);
        }
    }

    @Test
    void refusesAnotherAssociation() {
        User other = otherAuthor(this.author);
        refused("author", ids.shardOf(other.id), (session) -> session.find(Photo.class, this.photo.id).author = session
            .getReference(User.class, other.id));
    }

    @Test
    void refusesBeforeAnyStatementOfTheFlush() {
        User other = otherAuthor(this.author);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> refusing.inTransaction((session) -> {
            Photo found = session.find(Photo.class, this.photo.id);
            refusing.jdbc.drain();
            session.persist(new Note(5L));
            found.author = session.getReference(User.class, other.id);
        }));
        assertThat(refusing.jdbc.drain()).isEmpty();
    }

    @Test
    void refusesAMergeWithAnotherAssociation() {
        User other = otherAuthor(this.author);
        Photo detached = new Photo(other, 6);
        detached.id = this.photo.id;
        refused("author", ids.shardOf(other.id), (session) -> session.merge(detached));
    }

    @Test
    void refusesNoAssociation() {
        refused("author", "none", (session) -> session.find(Photo.class, this.photo.id).author = null);
    }

    @Test
    void refusesAnUpdateInAStatelessSession() {
        User other = otherAuthor(this.author);
        this.photo.author = other;
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> refusing.factory.inStatelessTransaction((session) -> session.update(this.photo)))
            .withMessageContainingAll(fields("Photo", "author", this.photo.id, ids.shardOf(other.id)));
    }

    @Test
    void updatesOtherAttributesInAStatelessSession() {
        this.photo.likes = 7;
        refusing.factory.inStatelessTransaction((session) -> session.update(this.photo));
        assertThat(refusing.<Integer>fromTransaction((session) -> session.find(Photo.class, this.photo.id).likes))
            .isEqualTo(7);
    }

    @Test
    void refusesAValueInsideAnEmbeddable() {
        Note note = new Note(5L);
        refusing.persist(note);
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> refusing.inTransaction((session) -> session.find(Note.class, note.id).place.userId = 6L))
            .withMessageContainingAll(fields("Note", "place.userId", note.id, 6));
    }

    @Test
    void allowsAnotherKeyOfTheSameShard() {
        Note note = new Note(5L);
        refusing.persist(note);
        refusing.inTransaction((session) -> session.find(Note.class, note.id).place.userId = 2_005L);
        assertThat(refusing.<Long>fromTransaction((session) -> session.find(Note.class, note.id).place.userId))
            .isEqualTo(2_005);
    }

    @Test
    void allowsTheWayBackToTheShardOfTheId() {
        Note note = new Note(5L);
        refusing.persist(note);
        refusing.inTransaction(
                (session) -> session.createMutationQuery("update Note set place.userId = 6").executeUpdate());
        refusing.inTransaction((session) -> session.find(Note.class, note.id).place.userId = 5L);
        assertThat(refusing.<Long>fromTransaction((session) -> session.find(Note.class, note.id).place.userId))
            .isEqualTo(5);
    }

    @Test
    void updatesARowWhoseIdentifierIsNotOurs() {
        refusing.inTransaction((session) -> session.createMutationQuery("delete Article").executeUpdate());
        Article article = new Article();
        refusing.persist(article);
        article.userId = 2_005;
        refusing.factory.inStatelessTransaction((session) -> session.update(article));
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> refusing.inTransaction((session) -> session.find(Article.class, 77L).userId = 6))
            .withMessageContaining("id=77, shard of the id=none, shard of the key=6");
    }

    @Test
    void allowsARowThatIsNotOursAnotherKeyOfTheSameShard() {
        refusing.inTransaction((session) -> session.createMutationQuery("delete Article").executeUpdate());
        refusing.persist(new Article());
        refusing.inTransaction((session) -> session.find(Article.class, 77L).userId = 2_005);
        assertThat(refusing.<Long>fromTransaction((session) -> session.find(Article.class, 77L).userId))
            .isEqualTo(2_005);
    }

    @Test
    void deletesARowWhoseKeyHasChanged() {
        refusing.inTransaction((session) -> {
            Photo found = session.find(Photo.class, this.photo.id);
            found.author = null;
            session.remove(found);
        });
        assertThat(refusing.<Photo>fromTransaction((session) -> session.find(Photo.class, this.photo.id))).isNull();
    }

    /** Hibernate forgets references to rows that go, too, and so the key. */
    @Test
    void deletesARowWithTheRowThatItsKeyRefersTo() {
        Album album = new Album();
        Page page = new Page(album);
        refusing.persist(album, page);
        refusing.inTransaction((session) -> {
            session.remove(session.find(Album.class, album.id));
            session.remove(session.find(Page.class, page.id));
        });
        assertThat(refusing.<Page>fromTransaction((session) -> session.find(Page.class, page.id))).isNull();
    }

    /** Their time lies before the epoch of the layout. */
    @Test
    void updatesRowsWithUuidsOfAnotherSystem() {
        Ticket ticket = new Ticket();
        ticket.id = new UUID(0x0123_4567_89ab_7defL, 0x8123_4567_89ab_cdefL);
        refusing.inTransaction(
                (session) -> session.createNativeMutationQuery("insert into Ticket (id, userId) values (:id, 5)")
                    .setParameter("id", ticket.id)
                    .executeUpdate());
        refusing.inTransaction((session) -> session.find(Ticket.class, ticket.id).userId = 2_005);
        ticket.userId = 6;
        refusing.factory.inStatelessTransaction((session) -> session.update(ticket));
        assertThat(refusing.<Long>fromTransaction((session) -> session.find(Ticket.class, ticket.id).userId))
            .isEqualTo(6);
    }

    @Test
    void updatesAndDeletesOtherwise() {
        refusing.inTransaction((session) -> session.find(Photo.class, this.photo.id).likes = 6);
        refusing.inTransaction((session) -> session.remove(session.find(Photo.class, this.photo.id)));
        assertThat(refusing.<Photo>fromTransaction((session) -> session.find(Photo.class, this.photo.id))).isNull();
    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "author")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        User author;

        int likes;

        Photo() {
        }

        Photo(User author, int likes) {
            this.author = author;
            this.likes = likes;
        }

    }

    @Entity(name = "Article")
    static class Article {

        @Id
        long id = 77;

        @ShardedId(shardKey = "userId")
        Long publicId;

        long userId = 5;

    }

    @Entity(name = "Ticket")
    static class Ticket {

        @Id
        @ShardedId(shardKey = "userId")
        UUID id;

        long userId;

    }

    @Embeddable
    static class Place {

        Long userId;

    }

    @Entity(name = "Note")
    static class Note {

        @Id
        @ShardedId(shardKey = "place.userId")
        Long id;

        Place place = new Place();

        Note() {
        }

        Note(Long userId) {
            this.place.userId = userId;
        }

    }

    @Entity(name = "Album")
    static class Album {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Page")
    static class Page {

        @Id
        @ShardedId(shardKey = "album")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(foreignKey = @ForeignKey(ConstraintMode.NO_CONSTRAINT))
        Album album;

        Page() {
        }

        Page(Album album) {
            this.album = album;
        }

    }

}
