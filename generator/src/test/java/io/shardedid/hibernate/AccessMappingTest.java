package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import jakarta.persistence.Access;
import jakarta.persistence.AccessType;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids and keys that Hibernate reaches by fields, by getters and setters, or by both.
 */
class AccessMappingTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(ByField.class, Primitive.class, ByProperty.class, Mixed.class,
            BySuperclass.class);

    @Test
    void fieldAccess() {
        ByField entity = new ByField();
        entity.userId = 4_007;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(7);
        assertThat(unit.find(ByField.class, entity.id).userId).isEqualTo(4_007);
    }

    @Test
    void primitiveId() {
        Primitive first = new Primitive();
        Primitive second = new Primitive();
        assertThat(unit.statementsToPersist(first, second)).containsOnly("insert");
        assertThat(second.id).isGreaterThan(first.id).isPositive();
    }

    @Test
    void propertyAccess() {
        ByProperty entity = new ByProperty();
        entity.setUserId(9L);
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.getId())).isEqualTo(9 + 1000);
    }

    @Test
    void keyByGetterAndIdByField() {
        Mixed entity = new Mixed();
        entity.user = 11L;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(11 + 1000);
    }

    @Test
    void propertyAccessInAMappedSuperclass() {
        BySuperclass entity = new BySuperclass();
        entity.setUserId(13L);
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.getId())).isEqualTo(13);
    }

    @Entity(name = "AccessByField")
    static class ByField {

        @Id
        @ShardedId(shardKey = "userId")
        private Long id;

        private long userId;

    }

    @Entity(name = "AccessToPrimitive")
    static class Primitive {

        @Id
        @ShardedId
        long id;

    }

    @Entity(name = "AccessByProperty")
    static class ByProperty {

        private Long identifier;

        private Long user;

        @Id
        @ShardedId(shardKey = "userId")
        public Long getId() {
            return this.identifier;
        }

        public void setId(Long id) {
            this.identifier = id;
        }

        public Long getUserId() {
            return (this.user != null) ? this.user + 1000 : null;
        }

        public void setUserId(Long userId) {
            this.user = userId;
        }

    }

    @Entity(name = "AccessMixed")
    @Access(AccessType.FIELD)
    static class Mixed {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        transient Long user;

        @Access(AccessType.PROPERTY)
        public Long getUserId() {
            return this.user + 1000;
        }

        public void setUserId(Long userId) {
            this.user = userId;
        }

    }

    @MappedSuperclass
    abstract static class OfUser {

        private Long identifier;

        private Long user;

        @Id
        @ShardedId(shardKey = "userId")
        public Long getId() {
            return this.identifier;
        }

        public void setId(Long id) {
            this.identifier = id;
        }

        public Long getUserId() {
            return this.user;
        }

        public void setUserId(Long userId) {
            this.user = userId;
        }

    }

    @Entity(name = "AccessBySuperclass")
    static class BySuperclass extends OfUser {

    }

}
