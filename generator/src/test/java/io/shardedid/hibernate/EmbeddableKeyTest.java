package io.shardedid.hibernate;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.hibernate.AssociationModel.User;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shard keys inside embeddables.
 */
class EmbeddableKeyTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(ByClass.class, ByRecord.class, ByNested.class, ByOptional.class,
            User.class, Photo.class, Like.class);

    @Test
    void attributeOfAClass() {
        ByClass entity = new ByClass();
        entity.owner = new Owner();
        entity.owner.number = 6;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(6);
    }

    @Test
    void attributeOfARecord() {
        ByRecord entity = new ByRecord();
        entity.address = new Address(8);
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(8);
    }

    @Test
    void recordInsideAClass() {
        ByNested entity = new ByNested();
        entity.owner = new Owner();
        entity.owner.address = new Address(7);
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(7);
    }

    @Test
    void associationInsideARecord() {
        User user = new User();
        unit.persist(user);
        Photo photo = new Photo();
        assertThat(unit.statements((session) -> {
            photo.credits = new Credits(session.getReference(User.class, user.id));
            session.persist(photo);
        })).containsExactly("insert");
        assertThat(unit.shardOf(photo.id)).isEqualTo(unit.shardOf(user.id));
    }

    @Test
    void shardedIdInsideARecord() {
        Like like = new Like();
        like.target = new Target(unit.ids().next(79));
        assertThat(unit.statementsToPersist(like)).containsExactly("insert");
        assertThat(unit.shardOf(like.id)).isEqualTo(79);
    }

    @Test
    void nullOnTheWayToTheKeyIsANullKey() {
        ByNested within = new ByNested();
        within.owner = new Owner();
        for (Object entity : new Object[] { new ByRecord(), new ByNested(), within }) {
            assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(entity))
                .withMessageMatching("Could not generate id of '\\Q" + entity.getClass().getName()
                        + "\\E': shard key '[\\w.]+' is null .*");
        }
    }

    @Test
    void nullOnTheWayToAnOptionalKeyFoundsAShard() {
        ByOptional entity = new ByOptional();
        unit.persist(entity);
        assertThat(entity.id).isPositive();
    }

    @Embeddable
    record Address(int region) {
    }

    @Embeddable
    static class Owner {

        long number;

        Address address;

    }

    @Entity(name = "ByEmbeddableClass")
    static class ByClass {

        @Id
        @ShardedId(shardKey = "owner.number")
        Long id;

        @Embedded
        Owner owner;

    }

    @Entity(name = "ByEmbeddableRecord")
    static class ByRecord {

        @Id
        @ShardedId(shardKey = "address.region")
        Long id;

        Address address;

    }

    @Entity(name = "ByOptionalEmbeddable")
    static class ByOptional {

        @Id
        @ShardedId(shardKey = "owner.address.country", optionalKey = true)
        Long id;

        @Embedded
        Resident owner;

    }

    @Embeddable
    static class Resident {

        Home address;

    }

    @Embeddable
    record Home(Integer country) {
    }

    @Entity(name = "ByNestedEmbeddable")
    static class ByNested {

        @Id
        @ShardedId(shardKey = "owner.address.region")
        Long id;

        @Embedded
        Owner owner;

    }

    @Embeddable
    record Credits(@ManyToOne(fetch = FetchType.LAZY) User author) {
    }

    @Entity(name = "CreditedPhoto")
    static class Photo {

        @Id
        @ShardedId(shardKey = "credits.author")
        Long id;

        Credits credits;

    }

    @Embeddable
    record Target(long photoId) {
    }

    @Entity(name = "TargetedLike")
    static class Like {

        @Id
        @ShardedId(colocateWith = "target.photoId")
        Long id;

        Target target;

    }

}
