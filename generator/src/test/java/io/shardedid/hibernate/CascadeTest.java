package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Parents and children that go into the database together.
 */
class CascadeTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(27);
        unit = TestUnit.with(ids, Album.class, Picture.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @BeforeEach
    void forget() {
        unit.jdbc.drain();
    }

    private static Album album(int pictures) {
        Album album = new Album();
        for (int i = 0; i < pictures; i++) {
            Picture picture = new Picture();
            picture.album = album;
            album.pictures.add(picture);
        }
        return album;
    }

    private static List<String> statements() {
        return unit.jdbc.drain().stream().filter((entry) -> entry.startsWith("execute")).toList();
    }

    /** One row a statement; Hibernate 8 sends the children as one batch. */
    private static void assertOnlyInserts() {
        assertThat(statements()).hasSizeBetween(2, 4).allMatch((entry) -> entry.contains("insert"));
    }

    private static long stored(Album album) {
        return unit.fromTransaction((session) -> session
            .createSelectionQuery("select count(*) from Picture where album = :album", Long.class)
            .setParameter("album", album)
            .getSingleResult());
    }

    @Test
    void persistsChildrenWithTheirParentInItsShardAndOnceEach() {
        Album album = album(3);
        unit.persist(album);
        assertOnlyInserts();
        assertThat(album.pictures).allMatch((picture) -> ids.shardOf(picture.id) == ids.shardOf(album.id));
        assertThat(stored(album)).isEqualTo(3);
    }

    @Test
    void mergesANewParentWithItsChildrenOnceEach() {
        Album merged = unit.fromTransaction((session) -> session.merge(album(3)));
        assertOnlyInserts();
        assertThat(merged.pictures).allMatch((picture) -> ids.shardOf(picture.id) == ids.shardOf(merged.id));
        assertThat(stored(merged)).isEqualTo(3);
    }

    @Test
    void mergesADetachedParentWithANewChild() {
        Album album = album(1);
        unit.persist(album);
        Picture second = new Picture();
        second.album = album;
        album.pictures.add(second);
        unit.jdbc.drain();
        Album merged = unit.fromTransaction((session) -> session.merge(album));
        assertThat(statements()).filteredOn((entry) -> entry.contains("insert")).hasSize(1);
        assertThat(merged.pictures).hasSize(2).allMatch((picture) -> ids.shardOf(picture.id) == ids.shardOf(merged.id));
        assertThat(stored(merged)).isEqualTo(2);
    }

    @Test
    void insertsAChildOfAManagedParentAtTheFlush() {
        Album album = album(0);
        unit.persist(album);
        unit.inTransaction((session) -> {
            Album found = session.find(Album.class, album.id);
            Picture picture = new Picture();
            picture.album = found;
            found.pictures.add(picture);
        });
        assertThat(stored(album)).isEqualTo(1);
    }

    @Test
    void refusesToPersistAChildBeforeItsParentAndInsertsNothing() {
        Album album = album(1);
        Picture first = album.pictures.get(0);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(first))
            .withMessageContainingAll(Picture.class.getName(), "album");
        assertThat(statements()).isEmpty();
    }

    @Test
    void goesOnAfterARefusal() {
        refusesToPersistAChildBeforeItsParentAndInsertsNothing();
        persistsChildrenWithTheirParentInItsShardAndOnceEach();
    }

    @Test
    void persistsAChildAfterItsParentInTheSameSession() {
        Album album = new Album();
        Picture picture = new Picture();
        picture.album = album;
        unit.persist(album, picture);
        assertThat(ids.shardOf(picture.id)).isEqualTo(ids.shardOf(album.id));
        assertThat(stored(album)).isEqualTo(1);
    }

    @Test
    void removesChildrenWithTheirParent() {
        Album album = album(2);
        unit.persist(album);
        unit.inTransaction((session) -> session.remove(session.find(Album.class, album.id)));
        assertThat(stored(album)).isZero();
    }

    @Entity(name = "Album")
    static class Album {

        @Id
        @ShardedId
        Long id;

        @OneToMany(mappedBy = "album", cascade = CascadeType.ALL)
        List<Picture> pictures = new ArrayList<>();

    }

    @Entity(name = "Picture")
    static class Picture {

        @Id
        @ShardedId(shardKey = "album")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY, cascade = { CascadeType.PERSIST, CascadeType.MERGE })
        Album album;

    }

}
