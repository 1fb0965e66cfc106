package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.github.f4b6a3.tsid.TsidCreator;
import io.shardedid.IdLayout;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables that have rows with other numbers as ids already.
 */
@Tag("every-database")
class AdoptionTest {

    private static final String FOREIGN_KEY = "constraint fk_remark_photo foreign key (photo_id) references photo (id))";

    private static void makeTables(UnitDatabase database, String idType, String referenceType) {
        database.execute("create table photo (id " + idType + " primary key, user_id bigint)",
                "create table remark (id " + idType + " primary key, photo_id " + referenceType + " not null, "
                        + FOREIGN_KEY);
    }

    /** Adopts the tables with one old photo: old rows stay, new ones come above. */
    private static void assertAdopted(UnitDatabase database, Map<String, Object> settings, long oldPhoto,
            long largestOld) {
        try (TestUnit unit = TestUnit.in(database, settings, Photo.class, Remark.class)) {
            ShardedIdEngine ids = ShardedIdService.idsOf(unit.factory);
            Photo photo = new Photo();
            photo.userId = 5L;
            Remark onNew = new Remark();
            onNew.photo = photo;
            Remark onOld = new Remark();
            unit.inTransaction((session) -> {
                onOld.photo = session.getReference(Photo.class, oldPhoto);
                session.persist(photo);
                session.persist(onNew);
                session.persist(onOld);
            });
            assertThat(photo.id).isGreaterThan(largestOld);
            assertThat(ids.shardOf(photo.id)).isEqualTo(5);
            assertThat(ids.shardOf(onNew.id)).isEqualTo(5);
            assertThat(ids.shardOf(onOld.id)).isEqualTo((int) (oldPhoto % 2_000));
            List<Long> photos = unit.fromTransaction(
                    (session) -> session.createSelectionQuery("select id from AdoptedPhoto order by id", Long.class)
                        .getResultList());
            assertThat(photos).startsWith(oldPhoto).endsWith(photo.id);
            assertThat(unit.<Long>fromTransaction((session) -> session
                .createSelectionQuery("select count(*) from AdoptedRemark where photo.id = :old", Long.class)
                .setParameter("old", oldPhoto)
                .getSingleResult())).isEqualTo(2);
        }
    }

    @Test
    void adoptsATableWithASequence() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, "bigint", "bigint");
        database.execute(sequence("photo_seq", 4711, 1), sequence("remark_seq", 1, 1));
        database.execute("insert into photo values (%s, 5)".formatted(nextValue(database, "photo_seq")),
                "insert into remark values (%s, 4711)".formatted(nextValue(database, "remark_seq")));
        AdoptionRecipe.run("sequence", database);
        assertAdopted(database, AdoptionRecipe.settings(), 4_711, 4_711);
    }

    /** In MySQL, a table in which Hibernate counts. */
    private static String sequence(String name, long start, int increment) {
        return (UnitDatabase.KIND == UnitDatabase.Kind.MYSQL)
                ? "create table %s (next_val bigint) as select %s as next_val".formatted(name, start)
                : "create sequence %s start with %s increment by %s".formatted(name, start, increment);
    }

    private static long nextValue(UnitDatabase database, String sequence) {
        return number(database, switch (UnitDatabase.KIND) {
            case POSTGRESQL -> "select nextval('" + sequence + "')";
            case H2, MARIADB -> "select next value for " + sequence;
            case MYSQL -> "select next_val from " + sequence;
        });
    }

    @Test
    void adoptsATableWithIdentity() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, identity(), "bigint");
        database.execute("insert into photo (user_id) values (5)", "insert into remark (photo_id) values (1)");
        AdoptionRecipe.run("identity", database);
        assertAdopted(database, AdoptionRecipe.settings(), 1, 1);
    }

    @Test
    void theIdentityCounterStaysBelowUnlessItIsAutoIncrement() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, identity(), "bigint");
        try (TestUnit unit = TestUnit.in(database, AdoptionRecipe.settings(), Photo.class, Remark.class)) {
            Photo photo = new Photo();
            unit.persist(photo.of(5));
            unit.database.execute("insert into photo (user_id) values (7)");
            long old = unit.fromTransaction((session) -> session
                .createSelectionQuery("select id from AdoptedPhoto where userId = 7", Long.class)
                .getSingleResult());
            assertThat(old).isEqualTo(UnitDatabase.KIND.isAutoIncrement() ? photo.id + 1 : 1);
        }
    }

    private static String identity() {
        return UnitDatabase.KIND.isAutoIncrement() ? "bigint not null auto_increment"
                : "bigint generated by default as identity";
    }

    /** Hibernate makes the schema, as in tests, and a script inserts after it. */
    @Test
    void scriptsMayInsertWithoutIds() {
        UnitDatabase database = UnitDatabase.fresh();
        Map<String, Object> settings = Map.of("hibernate.hbm2ddl.auto", "create",
                "shardedid.worker.lease.initialize-schema", "always");
        try (TestUnit unit = TestUnit.in(database, settings, Photo.class, Remark.class)) {
            AdoptionRecipe.run("scripts without ids", database);
            database.execute("insert into photo (user_id) values (5), (6)");
            Photo photo = new Photo();
            unit.persist(photo.of(7));
            assertThat(unit.<List<Long>>fromTransaction(
                    (session) -> session.createSelectionQuery("select id from AdoptedPhoto order by id", Long.class)
                        .getResultList()))
                .containsExactly(1L, 2L, photo.id);
        }
    }

    /** {@code AUTO_INCREMENT} goes on above the sharded ids, as the page says. */
    @Test
    void goesBackToIdentity() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, identity(), "bigint");
        database.execute("insert into photo (user_id) values (5)", "insert into remark (photo_id) values (1)");
        AdoptionRecipe.run("identity", database);
        Photo photo = new Photo();
        IdentityPhoto again = new IdentityPhoto();
        try (TestUnit adopted = TestUnit.in(database, AdoptionRecipe.settings(), Photo.class, Remark.class)) {
            adopted.persist(photo.of(5));
            AdoptionRecipe.run(UnitDatabase.KIND.isAutoIncrement() ? "back out, AUTO_INCREMENT" : "back out, IDENTITY",
                    database);
            try (TestUnit back = TestUnit.in(database, AdoptionRecipe.settings(), IdentityPhoto.class)) {
                back.persist(again);
                database.execute("insert into remark (photo_id) values (1)");
                assertThat(number(database, "select max(id) from remark")).isEqualTo(2);
            }
        }

        assertThat(again.id).isEqualTo(UnitDatabase.KIND.isAutoIncrement() ? photo.id + 1 : 2);
    }

    @Test
    void goesBackToASequence() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, "bigint", "bigint");
        database.execute("insert into photo values (4711, 5)", "insert into remark values (1, 4711)");
        Photo photo = new Photo();
        SequencePhoto again = new SequencePhoto();
        try (TestUnit adopted = TestUnit.in(database, AdoptionRecipe.settings(), Photo.class, Remark.class)) {
            adopted.persist(photo.of(5));
            AdoptionRecipe.run("back out, sequence", database);
            try (TestUnit back = TestUnit.in(database, AdoptionRecipe.settings(), SequencePhoto.class)) {
                back.persist(again);
                assertThat(nextValue(database, "remark_seq")).as("the last of 50").isEqualTo(51);
            }
        }

        assertThat(again.id).isEqualTo(4_712);
    }

    private static long number(UnitDatabase database, String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
        catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void adoptsATableWithNarrowIds() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, identity().replace("bigint", "integer"), "integer");
        database.execute("insert into photo (user_id) values (5)", "insert into remark (photo_id) values (1)");
        AdoptionRecipe.run("widen", database);
        database.execute("insert into photo (user_id) values (6)");
        AdoptionRecipe.run("identity", database);
        assertAdopted(database, AdoptionRecipe.settings(), 1, 2);
    }

    @Test
    void adoptsATableWithTsids() {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, "bigint", "bigint");
        long first = tsid(Instant.now().minusSeconds(100), 17);
        long last = tsid(Instant.now(), 18);
        database.execute("insert into photo values (%s, 5), (%s, 6)".formatted(first, last),
                "insert into remark values (%s, %s)".formatted(last + 1, first));
        Map<String, Object> settings = new LinkedHashMap<>(AdoptionRecipe.settings());
        settings.put("shardedid.epoch", "2020-01-01T00:00:00Z");
        settings.put("shardedid.older-ids-before", Instant.now().minusSeconds(100));
        assertAdopted(database, settings, first, last);
    }

    /** The first recipe of the page: another annotation, and the old one again. */
    @ParameterizedTest
    @EnumSource
    void changesOneLineWithoutShardsAndGoesBack(Switched from) {
        UnitDatabase database = UnitDatabase.fresh();
        database.execute(from.tables);
        Map<String, Object> settings = new LinkedHashMap<>(AdoptionRecipe.settings());
        settings.putAll(from.settings);
        List<Long> old = new ArrayList<>();
        List<Long> sharded = new ArrayList<>();
        List<Long> again = new ArrayList<>();
        try (TestUnit before = TestUnit.in(database, settings, from.entity)) {
            insert(before, from, old);
            try (TestUnit adopted = TestUnit.in(database, settings, KeylessPhoto.class)) {
                KeylessPhoto first = new KeylessPhoto();
                KeylessPhoto second = new KeylessPhoto();
                adopted.persist(first, second);
                sharded.addAll(List.of(first.id, second.id));
                try (TestUnit back = TestUnit.in(database, settings, from.entity)) {
                    insert(back, from, again);
                }
            }
        }

        assertThat(Stream.of(old, again, sharded).flatMap(List::stream)).doesNotHaveDuplicates();
        assertThat(Stream.of(old, sharded).flatMap(List::stream)).isSorted();
        boolean oneWay = from == Switched.IDENTITY && UnitDatabase.KIND.isAutoIncrement();
        assertThat(again).as("its counter goes on after the largest id: %s", oneWay)
            .allMatch((id) -> oneWay ? id > sharded.get(1) : id > old.get(0) && id < sharded.get(0));
    }

    private static void insert(TestUnit unit, Switched from, List<Long> ids) {
        OldPhoto photo = from.photo.get();
        unit.persist(photo);
        ids.add(photo.id());
    }

    /** What the entity had before the recipe. */
    enum Switched {

        SEQUENCE(SequencePhoto.class, SequencePhoto::new, Map.of(),
                "create table photo (id bigint primary key, user_id bigint)", sequence("photo_seq", 1, 50)),

        IDENTITY(IdentityPhoto.class, IdentityPhoto::new, Map.of(),
                "create table photo (id " + identity() + " primary key, user_id bigint)"),

        TSID(TsidPhoto.class, TsidPhoto::new, Map.of("shardedid.epoch", "2020-01-01T00:00:00Z"),
                "create table photo (id bigint primary key, user_id bigint)");

        private final Class<?> entity;

        private final Supplier<OldPhoto> photo;

        private final Map<String, Object> settings;

        private final String[] tables;

        Switched(Class<?> entity, Supplier<OldPhoto> photo, Map<String, Object> settings, String... tables) {
            this.entity = entity;
            this.photo = photo;
            this.settings = settings;
            this.tables = tables;
        }

    }

    /** A photo as it was mapped before. */
    interface OldPhoto {

        long id();

    }

    @Test
    void idsOfTheEpochOfTsidsStayAboveThemForever() {
        IdLayout layout = IdLayout.builder().epoch(Instant.parse("2020-01-01T00:00:00Z")).build();
        for (Instant time = Instant.parse("2020-01-02T00:00:00Z"); time
            .isBefore(layout.lastUsableInstant()); time = time.plusSeconds(5_000_000)) {
            assertThat(layout.firstIdAt(time)).isGreaterThan(tsid(time, (1 << 22) - 1));
        }
        Instant cutOver = Instant.parse("2026-11-21T00:00:00Z");
        assertThat(IdLayout.standard().firstIdAt(cutOver)).as("why the default epoch is refused on the page")
            .isLessThan(tsid(cutOver, 0));
    }

    /** 42 bits of milliseconds since 2020, then node and counter. */
    private static long tsid(Instant time, int random) {
        return time.toEpochMilli() - Instant.parse("2020-01-01T00:00:00Z").toEpochMilli() << 22 | random;
    }

    @Entity(name = "AdoptedPhoto")
    @Table(name = "photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @Column(name = "user_id")
        Long userId;

        Photo of(long newUserId) {
            this.userId = newUserId;
            return this;
        }

    }

    @Entity
    @Table(name = "photo")
    static class SequencePhoto implements OldPhoto {

        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "photo_seq")
        @SequenceGenerator(name = "photo_seq", sequenceName = "photo_seq")
        Long id;

        @Override
        public long id() {
            return this.id;
        }

    }

    @Entity
    @Table(name = "photo")
    static class IdentityPhoto implements OldPhoto {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @Override
        public long id() {
            return this.id;
        }

    }

    /** What {@code @Tsid} does: the factory that it asks makes the id. */
    @Entity
    @Table(name = "photo")
    static class TsidPhoto implements OldPhoto {

        @Id
        Long id = TsidCreator.getTsid().toLong();

        @Override
        public long id() {
            return this.id;
        }

    }

    @Entity
    @Table(name = "photo")
    static class KeylessPhoto {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "AdoptedRemark")
    @Table(name = "remark")
    static class Remark {

        @Id
        @ShardedId(shardKey = "photo")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "photo_id")
        Photo photo;

    }

}
