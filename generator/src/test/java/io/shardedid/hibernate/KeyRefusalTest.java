package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PrePersist;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Keys that lead to no shard when an entity is persisted. After each refusal the unit
 * goes on working.
 */
class KeyRefusalTest {

    private static final String HERE = KeyRefusalTest.class.getName() + "$";

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(3);
        unit = TestUnit.with(ids, User.class, Photo.class, Album.class, Picture.class, Like.class, Audited.class,
                PrimitiveUser.class, Note.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static void refused(TestUnit unit, Object entity, String fields) {
        unit.jdbc.drain();
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(entity))
            .withMessageContainingAll(fields.replace("HERE.", HERE).split(" \\| "));
        assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.contains("insert"));
        unit.persist(new User());
    }

    @Test
    void refusesANullKey() {
        refused(unit, new Like(), "HERE.Like | userId | @ShardedId(optionalKey = true)");
    }

    @Test
    void refusesAKeyThatIsSetInPrePersist() {
        refused(unit, new Audited(), "HERE.Audited | createdBy | @ShardedId(optionalKey = true)");
    }

    @Test
    void refusesANullAssociation() {
        refused(unit, new Photo(), "HERE.Photo | author | @ShardedId(optionalKey = true)");
    }

    @Test
    void refusesATransientParent() {
        Photo photo = new Photo();
        photo.author = new User();
        refused(unit, photo, "HERE.Photo | author");
    }

    @Test
    void refusesATransientParentWithAPrimitiveId() {
        Note note = new Note();
        note.author = new PrimitiveUser();
        refused(unit, note, "HERE.Note | author");
    }

    @Test
    void cascadesFromTheParentToItsChildren() {
        Album album = new Album();
        Picture picture = new Picture();
        picture.album = album;
        album.pictures.add(picture);
        unit.jdbc.drain();
        unit.persist(album);
        assertThat(ids.shardOf(picture.id)).isEqualTo(ids.shardOf(album.id));
        assertThat(unit.jdbc.drain().stream().filter((entry) -> entry.contains("insert"))).hasSize(2);
    }

    @Test
    void refusesToCascadeFromTheChildToItsParent() {
        Picture picture = new Picture();
        picture.album = new Album();
        picture.album.pictures.add(picture);
        refused(unit, picture, "HERE.Picture | album");
    }

    @Test
    void refusesToTakeOverAShardThatIsNoneOfOurs() {
        Photo photo = new Photo();
        photo.author = new User();
        photo.author.id = IdLayout.standard().compose(1, 2_047, 0, 0);
        refused(unit, photo, "[0, 1999] | id=16773120 | shard=2047 | layout");
    }

    @Test
    void refusesAShardOutsideTheRangeOfTheFunction() {
        try (ShardedIdEngine strange = ShardedIds.builder()
            .workers(WorkerLeases.fixed(4))
            .shardFunction(new Constant(2_000))
            .timeSource(new SkippingTime())
            .open(); TestUnit other = TestUnit.with(strange, User.class, Like.class)) {
            Like like = new Like();
            like.userId = 7L;
            refused(other, like, "[0, 1999] | key=7 | shard=2000");
        }
    }

    @Test
    void namesTheEntityAndTheKeyWhereTheFunctionFails() {
        ShardFunction texts = new ShardFunction() {
            @Override
            public int shardOf(Object key, int shards) {
                return ((String) key).length();
            }

            @Override
            public String id() {
                return "texts";
            }

            @Override
            public boolean supports(Class<?> type) {
                return true;
            }
        };
        try (ShardedIdEngine strange = ShardedIds.builder()
            .workers(WorkerLeases.fixed(5))
            .shardFunction(texts)
            .timeSource(new SkippingTime())
            .open(); TestUnit other = TestUnit.with(strange, User.class, Like.class)) {
            Like like = new Like();
            like.userId = 7L;
            refused(other, like, "HERE.Like.userId | 'texts' | key=7 | type=java.lang.Long");
        }
    }

    @Test
    void refusesAnHqlInsertThatNeedsAShardKey() {
        assertThatExceptionOfType(ShardKeyException.class)
            .isThrownBy(() -> unit.inTransaction(
                    (session) -> session.createMutationQuery("insert into Likes (userId) values (5)").executeUpdate()))
            .withMessageContainingAll(HERE + "Like", "userId");
    }

    @Test
    void takesTheIdOfAnHqlInsert() {
        long id = ids.nextFor(5L);
        unit.inTransaction((session) -> session.createMutationQuery("insert into Likes (id, userId) values (:id, 5)")
            .setParameter("id", id)
            .executeUpdate());
        Like like = unit.fromTransaction((session) -> session.find(Like.class, id));
        assertThat(like.userId).isEqualTo(5);
    }

    @Test
    void generatesTheIdOfAnHqlInsertWithoutAShardKey() {
        unit.inTransaction(
                (session) -> session.createMutationQuery("insert into Users (name) values ('hql')").executeUpdate());
        List<Long> found = unit.fromTransaction(
                (session) -> session.createSelectionQuery("select id from Users where name = 'hql'", Long.class)
                    .getResultList());
        assertThat(found).singleElement().satisfies((id) -> assertThat(ids.layout().workerOf(id)).isEqualTo(3));
    }

    record Constant(int shard) implements ShardFunction {

        @Override
        public int shardOf(Object key, int shards) {
            return this.shard;
        }

        @Override
        public String id() {
            return "constant";
        }

    }

    @Entity(name = "Users")
    static class User {

        @Id
        @ShardedId
        Long id;

        String name;

    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "author")
        Long id;

        @ManyToOne
        User author;

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

        @ManyToOne(cascade = CascadeType.PERSIST)
        Album album;

    }

    @Entity(name = "Likes")
    static class Like {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        Long userId;

    }

    @Entity(name = "Audited")
    static class Audited {

        @Id
        @ShardedId(shardKey = "createdBy")
        Long id;

        Long createdBy;

        @PrePersist
        void created() {
            this.createdBy = 7L;
        }

    }

    @Entity(name = "PrimitiveUser")
    static class PrimitiveUser {

        @Id
        @ShardedId
        long id;

    }

    @Entity(name = "Note")
    static class Note {

        @Id
        @ShardedId(shardKey = "author")
        long id;

        @ManyToOne
        PrimitiveUser author;

    }

}
