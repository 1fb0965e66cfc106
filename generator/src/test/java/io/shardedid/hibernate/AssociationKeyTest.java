package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import io.shardedid.hibernate.AssociationModel.Photo;
import io.shardedid.hibernate.AssociationModel.User;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.hibernate.Hibernate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shard keys that are associations: whatever stands for the parent, its id is read
 * without a select.
 */
class AssociationKeyTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(User.class, Photo.class, Country.class, City.class, Founder.class);

    private final User user = new User();

    @BeforeEach
    void persistTheParent() {
        unit.persist(this.user);
    }

    @Test
    void reference() {
        Photo photo = new Photo();
        assertThat(unit.statements((session) -> {
            photo.author = session.getReference(User.class, this.user.id);
            session.persist(photo);
            assertThat(Hibernate.isInitialized(photo.author)).isFalse();
        })).containsExactly("insert");
        assertThat(unit.shardOf(photo.id)).isEqualTo(unit.shardOf(this.user.id));
    }

    @Test
    void lazyProxyOfALoadedRow() {
        Photo first = new Photo(this.user);
        unit.persist(first);
        Photo second = new Photo();
        assertThat(unit.statements((session) -> {
            second.author = session.find(Photo.class, first.id).author;
            assertThat(Hibernate.isInitialized(second.author)).isFalse();
            session.persist(second);
        })).containsExactly("select", "insert");
        assertThat(unit.shardOf(second.id)).isEqualTo(unit.shardOf(this.user.id));
    }

    @Test
    void lazyProxyOfAClosedSession() {
        Photo photo = new Photo();
        photo.author = unit.unit().fromTransaction((session) -> session.getReference(User.class, this.user.id));
        assertThat(unit.statementsToPersist(photo)).containsExactly("insert");
        assertThat(unit.shardOf(photo.id)).isEqualTo(unit.shardOf(this.user.id));
    }

    @Test
    void detachedParent() {
        Photo photo = new Photo(this.user);
        assertThat(unit.statementsToPersist(photo)).containsExactly("insert");
        assertThat(unit.shardOf(photo.id)).isEqualTo(unit.shardOf(this.user.id));
    }

    @Test
    void parentThatWasMadeByHand() {
        Photo photo = new Photo();
        photo.author = new User();
        photo.author.id = this.user.id;
        assertThat(unit.statementsToPersist(photo)).containsExactly("insert");
        assertThat(unit.shardOf(photo.id)).isEqualTo(unit.shardOf(this.user.id));
    }

    @Test
    void parentWithAPlainId() {
        Country country = new Country();
        country.id = 4_049;
        City city = new City();
        city.country = country;
        assertThat(unit.statementsToPersist(country, city)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(city.id)).isEqualTo(49);
    }

    /** Hibernate itself looks it up, since it cannot know whether the row exists. */
    @Test
    void detachedParentWithAnAssignedIdAddsNoSelectToThatOfHibernate() {
        Country country = new Country();
        country.id = 4_050;
        unit.persist(country);
        Founder founder = new Founder();
        founder.country = country;
        City city = new City();
        city.country = country;
        assertThat(unit.statementsToPersist(city)).isEqualTo(unit.statementsToPersist(founder))
            .containsExactly("select", "insert");
        assertThat(unit.shardOf(city.id)).isEqualTo(50);
    }

    @Entity(name = "PlainCountry")
    static class Country {

        @Id
        long id;

    }

    @Entity(name = "ShardedCity")
    static class City {

        @Id
        @ShardedId(shardKey = "country")
        Long id;

        @ManyToOne
        Country country;

    }

    @Entity(name = "CityFounder")
    static class Founder {

        @Id
        @ShardedId
        Long id;

        @ManyToOne
        Country country;

    }

}
