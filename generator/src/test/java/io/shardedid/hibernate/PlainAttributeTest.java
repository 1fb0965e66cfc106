package io.shardedid.hibernate;

import java.util.List;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PrePersist;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The annotation on an attribute that is no identifier: a public id beside a numeric key.
 */
class PlainAttributeTest {

    private static final String HERE = PlainAttributeTest.class.getName() + "$";

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Article.class, ByIdentity.class, ByOwnId.class, Sharded.class,
            Converted.class, Assigned.class, Parent.class, Child.class, Stand.class);

    @Test
    void generatesWhenTheRowIsInserted() {
        Article article = new Article(1, 41);
        assertThat(unit.statements((session) -> {
            session.persist(article);
            assertThat(article.publicId).isNull();
            session.flush();
        })).containsExactly("insert");
        assertThat(unit.shardOf(article.publicId)).isEqualTo(41);
        assertThat(unit.find(Article.class, 1L).publicId).isEqualTo(article.publicId);
    }

    @Test
    void besideIdentity() {
        ByIdentity entity = new ByIdentity();
        entity.userId = 42;
        unit.persist(entity);
        assertThat(entity.publicId).matches("[0-9]{19}");
        assertThat(unit.shardOf(Long.parseLong(entity.publicId))).isEqualTo(42);
        assertThat(unit.find(ByIdentity.class, entity.id).publicId).isEqualTo(entity.publicId);
    }

    @Test
    void keyIsTheNumericId() {
        ByOwnId entity = new ByOwnId();
        entity.id = 4_043;
        unit.persist(entity);
        assertThat(unit.shardOf(entity.publicId)).isEqualTo(43);
    }

    @Test
    void besideACompositeId() {
        Stand entity = new Stand();
        entity.id = new Spot("hall", 3);
        entity.userId = 44;
        unit.persist(entity);
        assertThat(unit.shardOf(entity.publicId)).isEqualTo(44);
    }

    @Test
    void takesOverTheShardOfAShardedIdentifier() {
        Sharded entity = new Sharded();
        unit.persist(entity);
        assertThat(entity.publicId).isNotEqualTo(entity.id);
        assertThat(unit.shardOf(entity.publicId)).isEqualTo(unit.shardOf(entity.id));
    }

    @Test
    void valueClassWithAConverter() {
        Converted entity = new Converted();
        unit.persist(entity);
        assertThat(unit.ids().layout().workerOf(entity.publicId.number())).isEqualTo(1);
        assertThat(unit.find(Converted.class, entity.id).publicId).isEqualTo(entity.publicId);
    }

    @Test
    void attributeOfASubclassWithAKeyOfTheSubclass() {
        Child child = new Child();
        child.parent = new Article(5, 44);
        unit.persist(child.parent, child);
        assertThat(unit.shardOf(child.publicId)).isEqualTo(5);
    }

    @Test
    void staysWhenTheRowIsUpdated() {
        Article article = new Article(2, 45);
        unit.persist(article);
        long publicId = article.publicId;
        assertThat(unit.statements((session) -> session.find(Article.class, 2L).userId = 46L)).containsExactly("select",
                "update");
        assertThat(unit.find(Article.class, 2L).publicId).isEqualTo(publicId);
    }

    @Test
    void seesAKeyThatPrePersistSets() {
        Article article = new Article(6, 0);
        article.late = 47L;
        unit.persist(article);
        assertThat(unit.shardOf(article.publicId)).isEqualTo(47);
    }

    @Test
    void insertsBatch() {
        List<Article> articles = List.of(new Article(10, 48), new Article(11, 48), new Article(12, 49));
        unit.persist(articles.toArray());
        assertThat(articles).extracting((article) -> unit.shardOf(article.publicId)).containsExactly(48, 48, 49);
        assertThat(articles).extracting((article) -> article.publicId).doesNotHaveDuplicates();
    }

    @Test
    void keepsAnAssignedId() {
        Assigned entity = new Assigned();
        entity.id = 1;
        entity.publicId = unit.ids().next(50);
        long assigned = entity.publicId;
        unit.persist(entity);
        assertThat(unit.find(Assigned.class, 1L).publicId).isEqualTo(assigned);
    }

    @Test
    void generatesWhereNoneIsAssigned() {
        Assigned entity = new Assigned();
        entity.id = 2;
        unit.persist(entity);
        assertThat(unit.find(Assigned.class, 2L).publicId).isPositive().isEqualTo(entity.publicId);
    }

    @Test
    void refusesToReplaceAValue() {
        Article article = new Article(3, 51);
        article.publicId = 7L;
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(article))
            .withMessageContainingAll("publicId", HERE + "Article", "@ShardedId(allowAssigned = true)");
        unit.persist(new Article(3, 51));
    }

    @Test
    void refusesANullKey() {
        Article article = new Article(4, 0);
        article.userId = null;
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(article))
            .withMessageContainingAll(HERE + "Article", "userId", "@ShardedId(optionalKey = true)");
        unit.persist(new Article(4, 51));
    }

    @Entity(name = "PublicArticle")
    static class Article {

        @Id
        long id;

        @ShardedId(shardKey = "userId")
        @Column(nullable = false, updatable = false, unique = true)
        Long publicId;

        Long userId;

        transient Long late;

        Article() {
        }

        Article(long id, long userId) {
            this.id = id;
            this.userId = userId;
        }

        @PrePersist
        void prePersist() {
            this.userId = (this.late != null) ? this.late : this.userId;
        }

    }

    @Entity(name = "PublicByIdentity")
    static class ByIdentity {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @ShardedId(shardKey = "userId")
        @Column(length = 19)
        String publicId;

        long userId;

    }

    @Entity(name = "PublicByOwnId")
    static class ByOwnId {

        @Id
        long id;

        @ShardedId(shardKey = "id")
        long publicId;

    }

    @Embeddable
    record Spot(String room, int place) {
    }

    @Entity(name = "PublicStand")
    static class Stand {

        @EmbeddedId
        Spot id;

        @ShardedId(shardKey = "userId")
        Long publicId;

        long userId;

    }

    @Entity(name = "PublicSharded")
    static class Sharded {

        @Id
        @ShardedId
        Long id;

        @ShardedId(colocateWith = "id")
        Long publicId;

    }

    @Entity(name = "PublicConverted")
    static class Converted {

        @Id
        @ShardedId
        Long id;

        @ShardedId
        @Convert(converter = PhotoId.NumberConverter.class)
        PhotoId publicId;

    }

    @Entity(name = "PublicAssigned")
    static class Assigned {

        @Id
        long id;

        @ShardedId(allowAssigned = true)
        long publicId;

    }

    @Entity(name = "PublicParent")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Parent {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "PublicChild")
    static class Child extends Parent {

        @ShardedId(shardKey = "parent")
        Long publicId;

        @ManyToOne
        Article parent;

    }

}
