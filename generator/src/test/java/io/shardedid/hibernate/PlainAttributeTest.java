package io.shardedid.hibernate;

import java.util.List;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PrePersist;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The annotation on an attribute that is no identifier: a public id beside a numeric key.
 * Its mappings are in {@link KeyMappingTest}.
 */
class PlainAttributeTest {

    private static final String HERE = PlainAttributeTest.class.getName() + "$";

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Article.class, Sharded.class, Assigned.class);

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
    void takesOverTheShardOfAShardedIdentifier() {
        Sharded entity = new Sharded();
        unit.persist(entity);
        assertThat(entity.publicId).isNotEqualTo(entity.id);
        assertThat(unit.shardOf(entity.publicId)).isEqualTo(unit.shardOf(entity.id));
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

    @Entity(name = "PublicSharded")
    static class Sharded {

        @Id
        @ShardedId
        Long id;

        @ShardedId(colocateWith = "id")
        Long publicId;

    }

    @Entity(name = "PublicAssigned")
    static class Assigned {

        @Id
        long id;

        @ShardedId(allowAssigned = true)
        long publicId;

    }

}
