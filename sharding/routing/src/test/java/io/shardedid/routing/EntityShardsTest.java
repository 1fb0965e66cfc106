package io.shardedid.routing;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;

import javax.sql.DataSource;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.EntityShards;
import io.shardedid.hibernate.ShardedIdService;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.SecondaryTable;
import org.hibernate.Hibernate;
import org.hibernate.SessionFactory;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.hibernate.jpa.boot.spi.Bootstrap;
import org.hibernate.jpa.boot.spi.IntegratorProvider;
import org.hibernate.jpa.boot.spi.JpaSettings;
import org.hibernate.jpa.boot.spi.PersistenceConfigurationDescriptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Where the shard of a row stands, for each way to map an id. */
class EntityShardsTest {

    static EntityManagerFactory factory;

    static RoutedSessionFactories routed;

    @BeforeAll
    static void open() {
        routed = routed();
        PersistenceConfiguration unit = unit("entity-shards", Member.class, Picture.class, Scan.class, Tag.class,
                Vote.class, Setting.class, Visit.class, Note.class, Sketch.class, Portrait.class);
        Map<String, Object> settings = new HashMap<>();
        routed.addTo(settings);
        factory = Bootstrap.getEntityManagerFactoryBuilder(new PersistenceConfigurationDescriptor(unit), settings)
            .build();
    }

    private static RoutedSessionFactories routed() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("bindings",
                new ShardBindings(RoutingGuard.LOG, Homes.ONE_DATABASE, new CrossShardCalls()));
        return new RoutedSessionFactories(beans.getBeanProvider(ShardBindings.class),
                beans.getBeanProvider(Databases.class), beans.getBeanProvider(DataSource.class), null);
    }

    private static PersistenceConfiguration unit(String name, Class<?>... entities) {
        return new HibernatePersistenceConfiguration(name).managedClasses(entities)
            .property("jakarta.persistence.jdbc.url", "jdbc:h2:mem:" + name)
            .property("shardedid.worker.mode", "fixed")
            .property("shardedid.worker.id", "1")
            .property("shardedid.worker.lease.namespace", name);
    }

    @AfterAll
    static void close() {
        factory.close();
        assertThat(routed.unsharded()).isEmpty();
    }

    /** Hibernate knows one provider alone. */
    @Test
    void integratorsOfTheApplicationStay() {
        Integrator own = new Integrator() {
        };
        Map<String, Object> settings = new HashMap<>();
        settings.put(JpaSettings.INTEGRATOR_PROVIDER, (IntegratorProvider) () -> List.of(own));
        routed.addTo(settings);
        assertThat(((IntegratorProvider) settings.get(JpaSettings.INTEGRATOR_PROVIDER)).getIntegrators())
            .containsExactly(new RoutingIntegrator(routed), own);

        settings.put(JpaSettings.INTEGRATOR_PROVIDER, "com.acme.Integrators");
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> routed.addTo(settings))
            .satisfies((ex) -> assertThat(ex.problem().keys()).containsExactly(JpaSettings.INTEGRATOR_PROVIDER))
            .withMessageContainingAll("com.acme.Integrators", "object");
    }

    @Test
    void eachTableOfARowHasItsShard() {
        assertThat(routed.tablesWithShards()).contains("Picture", "picture_text", "Portrait", "Portrait_faces")
            .doesNotContain("Setting");
    }

    @Test
    void plainIdCarriesItsShard() {
        long id = ids().next(7);

        assertThat(shards(Picture.class).shardOfId(Picture.class.getName(), id)).hasValue(7);
    }

    @Test
    void uuidCarriesItsShard() {
        UUID id = ids().uuids().next(7);

        assertThat(shards(Note.class).shardOfId(Note.class.getName(), id)).hasValue(7);
        assertThat(shards(Note.class).sharded(Note.class.getName())).isTrue();
    }

    @Test
    void idOfAParentCarriesItsShard() {
        long id = ids().next(8);

        assertThat(shards(Scan.class).shardOfId(Scan.class.getName(), id)).hasValue(8);
    }

    @Test
    void partOfACompositeIdCarriesItsShard() {
        long id = ids().next(9);

        assertThat(shards(Tag.class).shardOfId(Tag.class.getName(), new TagId(id, "lake"))).hasValue(9);
    }

    @Test
    void associationInACompositeIdCarriesItsShard() {
        long id = ids().next(10);

        assertThat(shards(Vote.class).shardOfId(Vote.class.getName(), new VoteId(id, 3))).hasValue(10);
    }

    @Test
    void olderIdIsAtHomeWhereItsChildrenAre() {
        assertThat(shards(Picture.class).shardOfId(Picture.class.getName(), 4711L)).hasValue(ids().shardOf(4711));
    }

    @Test
    void rowWithoutIdIsAtHomeByItsKey() {
        Member member = new Member();
        member.id = ids().next(11);
        Picture picture = new Picture();
        picture.member = member;
        EntityShards shards = shards(Picture.class);

        assertThat(shards.shardOfRow(picture)).hasValue(11);
        assertThat(shards.keyPath(Picture.class.getName())).isEqualTo("member");
        assertThat(shards.shardOfKey(Picture.class.getName(), member)).hasValue(11);
        assertThat(shards.shardOfKey(Picture.class.getName(), member.id)).hasValue(11);
        picture.id = ids().next(12);
        assertThat(shards.shardOfRow(picture)).hasValue(12);
        assertThat(shards.shardOfRow(new Picture())).isEqualTo(OptionalInt.empty());
    }

    /** A primitive id is 0 until there is one. */
    @Test
    void rowWithAPrimitiveIdIsAtHomeByItsKeyUntilItHasOne() {
        Sketch sketch = new Sketch();
        sketch.userId = 14;
        EntityShards shards = shards(Sketch.class);

        assertThat(shards.shardOfRow(sketch)).hasValue(14);
        sketch.id = ids().next(16);
        assertThat(shards.shardOfRow(sketch)).hasValue(16);
    }

    @Test
    void referenceIsNotLoaded() {
        long id = ids().next(13);
        try (var entities = factory.createEntityManager()) {
            Member reference = entities.getReference(Member.class, id);

            assertThat(shards(Member.class).shardOfRow(reference)).hasValue(13);
            assertThat(Hibernate.isInitialized(reference)).isFalse();
        }
    }

    @Test
    void entityWithoutShardIsListed() {
        assertThat(routed.unsharded()).containsExactly(Setting.class.getName());
        assertThat(shards(Setting.class).sharded(Setting.class.getName())).isFalse();
        assertThat(shards(Setting.class).shardOfId(Setting.class.getName(), "x")).isEmpty();
    }

    @Test
    void entityWhoseShardStandsBesideItsIdHasAKey() {
        Visit visit = new Visit();
        visit.number = 1L;
        visit.userId = 15;
        EntityShards shards = shards(Visit.class);

        assertThat(shards.sharded(Visit.class.getName())).isTrue();
        assertThat(shards.shardOfId(Visit.class.getName(), 1L)).isEmpty();
        assertThat(shards.shardOfRow(visit)).hasValue(15);
    }

    private static EntityShards shards(Class<?> entity) {
        return routed.of(entity);
    }

    private static ShardedIdEngine ids() {
        return ShardedIdService.idsOf(factory.unwrap(SessionFactory.class));
    }

    @Entity(name = "Member")
    static class Member {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Picture")
    @Inheritance(strategy = InheritanceType.JOINED)
    @SecondaryTable(name = "picture_text")
    static class Picture {

        @Id
        @ShardedId(shardKey = "member")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Member member;

        @Column(table = "picture_text")
        String text;

    }

    @Entity(name = "Portrait")
    static class Portrait extends Picture {

        @ElementCollection
        List<String> faces;

    }

    @Entity(name = "Sketch")
    static class Sketch {

        @Id
        @ShardedId(shardKey = "userId")
        long id;

        long userId;

    }

    @Entity(name = "Note")
    static class Note {

        @Id
        @ShardedId(shardKey = "memberId")
        UUID id;

        long memberId;

    }

    @Entity(name = "Scan")
    static class Scan {

        @Id
        Long id;

        @OneToOne
        @MapsId
        Picture picture;

    }

    @Entity(name = "Tag")
    static class Tag {

        @EmbeddedId
        TagId id;

        @ManyToOne
        @MapsId("pictureId")
        Picture picture;

    }

    @Embeddable
    record TagId(long pictureId, String word) {
    }

    @Entity(name = "Vote")
    @IdClass(VoteId.class)
    static class Vote {

        @Id
        @ManyToOne
        Picture picture;

        @Id
        int number;

    }

    static class VoteId implements Serializable {

        Long picture;

        int number;

        VoteId() {
        }

        VoteId(Long picture, int number) {
            this.picture = picture;
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof VoteId id && id.picture.equals(this.picture) && id.number == this.number;
        }

        @Override
        public int hashCode() {
            return this.number;
        }

    }

    @Entity(name = "Setting")
    static class Setting {

        @Id
        String name;

    }

    @Entity(name = "Visit")
    static class Visit {

        @Id
        Long number;

        @ShardedId(shardKey = "userId")
        Long publicId;

        long userId;

    }

}
