package io.shardedid.hibernate;

import java.util.List;
import java.util.Map;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.AssociationModel.Photo;
import io.shardedid.hibernate.AssociationModel.User;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceException;
import org.hibernate.Hibernate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The ways to insert a row, and what is asked of the database meanwhile.
 */
@Tag("jdk")
@Tag("every-database")
class OperationsTest {

    static ShardedIdEngine ids;

    static TestUnit unit;

    private final User author = new User();

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(7);
        // no connection before the first statement; and the id of a proxy counts as its
        // state
        unit = TestUnit.of(
                Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.connection.provider_disables_autocommit", true),
                User.class, Photo.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @BeforeEach
    void persistAuthor() {
        unit.persist(this.author);
        unit.jdbc.drain();
    }

    private void assertInserted(Photo photo) {
        assertThat(ids.shardOf(photo.id)).isEqualTo(ids.shardOf(this.author.id));
        // Hibernate 8 executes a single row as a batch
        assertThat(unit.jdbc.drain()).map((entry) -> entry.replace("executeBatch", "executeUpdate"))
            .containsExactly("getConnection", "executeUpdate insert into photo (author_id,id) values (?,?)");
    }

    @Test
    void asksForNoConnectionToGenerate() {
        unit.inTransaction((session) -> {
            Photo photo = new Photo(this.author);
            session.persist(photo);
            assertThat(photo.id).isPositive();
            assertThat(unit.jdbc.drain()).isEmpty();
        });
    }

    /** Spring Data's {@code save} of an object with an id is a merge. */
    @Test
    void objectKeepsItsIdAfterARollback() {
        Photo photo = new Photo(this.author);
        assertThatIllegalStateException().isThrownBy(() -> unit.inTransaction((session) -> {
            session.persist(photo);
            throw new IllegalStateException("rolled back");
        }));
        Long id = photo.id;

        assertThat(id).isNotNull();
        assertThatExceptionOfType(PersistenceException.class).isThrownBy(() -> unit.persist(photo))
            .withMessageContaining("etached entity");
        assertThatExceptionOfType(OptimisticLockException.class)
            .isThrownBy(() -> unit.inTransaction((session) -> session.merge(photo)));
        photo.id = null;
        unit.persist(photo);
        assertThat(photo.id).isGreaterThan(id);
    }

    @Test
    void selectsNothingForADetachedParent() {
        Photo photo = new Photo(this.author);
        unit.persist(photo);
        assertInserted(photo);
    }

    @Test
    void selectsNothingForAReference() {
        Photo photo = unit.fromTransaction((session) -> {
            User reference = session.getReference(User.class, this.author.id);
            Photo created = new Photo(reference);
            session.persist(created);
            assertThat(Hibernate.isInitialized(reference)).isFalse();
            return created;
        });
        assertInserted(photo);
    }

    @Test
    void selectsNothingForALazyParent() {
        Photo first = new Photo(this.author);
        unit.persist(first);
        unit.inTransaction((session) -> {
            Photo found = session.find(Photo.class, first.id);
            unit.jdbc.drain();
            Photo second = new Photo(found.author);
            session.persist(second);
            assertThat(Hibernate.isInitialized(found.author)).isFalse();
            assertThat(ids.shardOf(second.id)).isEqualTo(ids.shardOf(first.id));
            assertThat(unit.jdbc.drain()).isEmpty();
        });
    }

    @Test
    void mergesANewEntity() {
        Photo merged = unit
            .fromTransaction((session) -> session.merge(new Photo(session.getReference(User.class, this.author.id))));
        assertThat(ids.shardOf(merged.id)).isEqualTo(ids.shardOf(this.author.id));
        assertThat(unit.jdbc.drain()).filteredOn((entry) -> entry.contains("insert")).hasSize(1);
    }

    @Test
    void insertsWithAStatelessSession() {
        Photo photo = new Photo(this.author);
        unit.factory.inStatelessTransaction((session) -> session.insert(photo));
        assertInserted(photo);
    }

    @Test
    void goesOnAfterARollback() {
        Photo rolledBack = new Photo(this.author);
        unit.inTransaction((session) -> {
            session.persist(rolledBack);
            session.getTransaction().setRollbackOnly();
        });
        Photo photo = new Photo(this.author);
        unit.persist(photo);
        assertThat(photo.id).isGreaterThan(rolledBack.id);
        List<Long> found = unit.fromTransaction(
                (session) -> session.createSelectionQuery("select id from Photo where author = :author", Long.class)
                    .setParameter("author", this.author)
                    .getResultList());
        assertThat(found).containsExactly(photo.id);
    }

}
