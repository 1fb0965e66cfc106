package io.shardedid.hibernate;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

import io.shardedid.RecordedReader;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Access;
import jakarta.persistence.AccessType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Transient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shard keys that change between the making of an id and the insert of its row. Where
 * they may stand is in {@link KeyMappingTest}.
 */
class InsertedKeyTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(24);
        unit = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.jdbc.batch_size", "10"), Like.class,
                User.class, Photo.class, Shifting.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static String refused(Runnable insert) {
        unit.jdbc.drain();
        String message = assertThatExceptionOfType(ShardKeyException.class).isThrownBy(insert::run)
            .actual()
            .getMessage();
        assertThat(unit.jdbc.drain()).noneMatch((entry) -> entry.contains("insert "));
        return message;
    }

    private static void refused(Object entity, String key, int shardOfId, Object shardOfKey) {
        assertThat(refused(() -> unit.persist(entity))).contains(entity.getClass().getName(), "'" + key + "'",
                "id=" + shardOfId, "key=" + shardOfKey);
    }

    private static <T extends Row> T before(T row, Consumer<? super T> change) {
        row.beforeInsert = () -> change.accept(row);
        return row;
    }

    @Test
    void keyThatHasNotChangedIsMappedAndNothingElseIsAsked() {
        List<String> asked = new ArrayList<>();
        RecordedReader reader = new RecordedReader(ids.reader(), asked);
        ShardedIdEngine recording = (ShardedIdEngine) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { ShardedIdEngine.class }, (proxy, method,
                        arguments) -> method.getName().equals("reader") ? reader : method.invoke(ids, arguments));
        try (TestUnit recorded = TestUnit.with(recording, Like.class, Token.class, Visit.class)) {
            recorded.inTransaction((session) -> {
                List.of(new Like(), new Token(), new Visit()).forEach(session::persist);
                asked.clear();
                session.flush();
            });
        }
        assertThat(asked).containsExactly("shardOfKey", "shardOfKey", "shardOfKey");
    }

    @Test
    void firstOfABatch() {
        Like fine = new Like();
        fine.userId = 5;
        Like late = before(new Like(), (row) -> row.userId = 7);
        assertThat(refused(() -> unit.persist(late, fine))).contains("shard of the key=7");
        assertThat(unit.<Like>fromTransaction((session) -> session.find(Like.class, fine.id))).isNull();
    }

    @Test
    void statelessSession() {
        assertThat(refused(() -> unit.factory.inStatelessTransaction((session) -> session.insert(new Shifting()))))
            .contains("Shifting': shard key 'userId' must lead to the shard of the id", "shard of the key=7");
    }

    @Test
    void association() {
        User author = new User();
        unit.persist(author);
        User other;
        do {
            other = new User();
            unit.persist(other);
        }
        while (ids.shardOf(other.id) == ids.shardOf(author.id));
        User later = other;
        Photo photo = before(new Photo(), (row) -> row.author = later);
        photo.author = author;
        refused(photo, "author", ids.shardOf(author.id), ids.shardOf(later.id));
    }

    @Test
    void associationThatIsTakenAway() {
        User author = new User();
        unit.persist(author);
        Photo photo = before(new Photo(), (row) -> row.author = null);
        photo.author = author;
        refused(photo, "author", ids.shardOf(author.id), "none");
    }

    @MappedSuperclass
    abstract static class Row {

        @Transient
        Runnable beforeInsert = () -> {
        };

        @PrePersist
        void beforeInsert() {
            this.beforeInsert.run();
        }

    }

    @Entity(name = "LateLike")
    static class Like extends Row {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity(name = "LateToken")
    static class Token extends Row {

        @Id
        @ShardedId(shardKey = "userId")
        UUID id;

        long userId;

    }

    @Entity(name = "LatePhoto")
    static class Photo extends Row {

        @Id
        @ShardedId(shardKey = "author")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        User author;

    }

    record VisitId(long petId, Long number) {
    }

    @Entity(name = "LateVisit")
    @IdClass(VisitId.class)
    static class Visit extends Row {

        @Id
        long petId;

        @Id
        @ShardedId(shardKey = "userId")
        @Column(name = "visit_number")
        Long number;

        long userId;

    }

    /** Its getter answers once with another key, whoever asks first. */
    @Entity(name = "LateShifting")
    @Access(AccessType.PROPERTY)
    static class Shifting {

        private Long id;

        private long next = 7;

        @Id
        @ShardedId(shardKey = "userId")
        Long getId() {
            return this.id;
        }

        void setId(Long id) {
            this.id = id;
        }

        long getUserId() {
            long key = this.next;
            this.next = 0;
            return key;
        }

        void setUserId(long userId) {
            this.next = userId;
        }

    }

}
