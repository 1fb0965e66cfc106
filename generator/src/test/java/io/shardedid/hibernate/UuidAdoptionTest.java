package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tables whose ids are UUIDs get a second id.
 */
@Tag("every-database")
class UuidAdoptionTest {

    private static final UUID OLD = UUID.randomUUID();

    @Test
    void adoptsATableWithUuidsByANewColumn() throws SQLException {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, AdoptionRecipe.uuidType(database), AdoptionRecipe.literal(database, OLD),
                AdoptionRecipe.literal(database, UUID.randomUUID()),
                AdoptionRecipe.literal(database, UUID.randomUUID()));
        AdoptionRecipe.run("uuid, new columns", database);
        try (ShardedIdEngine ids = TestUnit.engine(16)) {
            try (Connection connection = database.connect()) {
                FillSids.fill(connection, ids);
            }
            AdoptionRecipe.run("uuid, swap keys", database);
            assertAdoptedAndGoneBack(database, ids);
        }
    }

    /** Two old photos, a new one, and remarks on the first, one of them new. */
    private static void assertGoneBack(UnitDatabase database) throws SQLException {
        String old = AdoptionRecipe.literal(database, OLD);
        database.execute(
                "insert into photo (id, user_id) values (%s, 7)"
                    .formatted(AdoptionRecipe.literal(database, UUID.randomUUID())),
                "insert into remark (id, photo_id) values (%s, %s)"
                    .formatted(AdoptionRecipe.literal(database, UUID.randomUUID()), old));
        assertThat(number(database, "select count(*) from photo")).isEqualTo(4);
        assertThat(number(database,
                "select count(*) from remark r join photo p on p.id = r.photo_id where p.id = %s".formatted(old)))
            .isEqualTo(3);
        assertThatIllegalStateException().as("a foreign key")
            .isThrownBy(() -> database.execute("insert into remark (id, photo_id) values (%s, %1$s)"
                .formatted(AdoptionRecipe.literal(database, UUID.randomUUID()))));
        assertThatIllegalStateException().as("a primary key")
            .isThrownBy(() -> database.execute("insert into photo (id) values (%s)".formatted(old)));
    }

    private static void makeTables(UnitDatabase database, String type, String photo, String older, String remark) {
        database.execute(
                "create table photo (id %s not null, user_id bigint, created_at timestamp, constraint photo_pkey primary key (id))"
                    .formatted(type),
                "create table remark (id %s not null, photo_id %s not null, created_at timestamp, ".formatted(type,
                        type) + "constraint remark_pkey primary key (id), "
                        + "constraint fk_remark_photo foreign key (photo_id) references photo (id))",
                "insert into photo values (%s, 5, '2024-02-01 00:00:00'), (%s, 2005, '2024-01-01 00:00:00')"
                    .formatted(photo, older),
                "insert into remark values (%s, %s, '2024-03-01 00:00:00')".formatted(remark, photo));
    }

    /** TSIDs that are a String or a TSID in Java, there and back. */
    @Test
    void adoptsATableWithTsidsThatAreTexts() throws SQLException {
        UnitDatabase database = UnitDatabase.fresh();
        makeTables(database, "varchar(13)", "'0GWB3ZHNYKQ5V'", "'0GT0QJ5XVKQ5V'", "'0GZB3ZHNYKQ5W'");
        AdoptionRecipe.run("uuid, new columns", database);
        try (ShardedIdEngine ids = TestUnit.engine(16); Connection connection = database.connect()) {
            FillSids.fill(connection, ids);
            AdoptionRecipe.run("uuid, swap keys", database);
            assertThat(ids.shardOf(number(database, "select sid from photo where id = '0GWB3ZHNYKQ5V'"))).isEqualTo(5);
            assertThat(ids.shardOf(number(database,
                    "select r.sid from remark r join photo p on p.sid = r.photo_sid where p.id = '0GWB3ZHNYKQ5V'")))
                .isEqualTo(5);
            AdoptionRecipe.runBackToUuids(database, "VARCHAR(13)");
            assertThat(number(database, "select count(*) from remark where photo_id = '0GWB3ZHNYKQ5V'")).isEqualTo(1);
        }
    }

    private static long number(UnitDatabase database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    private static void assertAdoptedAndGoneBack(UnitDatabase database, ShardedIdEngine ids) throws SQLException {
        Map<String, Object> settings = Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.hbm2ddl.auto", "validate");
        try (TestUnit unit = TestUnit.in(database, settings, Photo.class, Remark.class)) {
            Photo photo = new Photo();
            photo.userId = 5L;
            unit.persist(photo);
            List<Photo> photos = unit
                .fromTransaction((session) -> session.createSelectionQuery("from UuidPhoto order by id", Photo.class)
                    .getResultList());
            assertThat(photos).extracting((found) -> found.userId).containsExactly(2_005L, 5L, 5L);
            assertThat(photos).extracting((found) -> ids.shardOf(found.id)).containsOnly(5);
            unit.inTransaction((session) -> {
                Remark old = session.createSelectionQuery("from UuidRemark r join fetch r.photo", Remark.class)
                    .getSingleResult();
                assertThat(old.photo.uuid).isEqualTo(OLD);
                Remark added = new Remark();
                added.photo = old.photo;
                session.persist(added);
                assertThat(ids.shardOf(old.id)).isEqualTo(5);
                assertThat(ids.shardOf(added.id)).isEqualTo(5);
            });
            AdoptionRecipe.runBackToUuids(database, AdoptionRecipe.uuidType(database));
            assertGoneBack(database);
        }
    }

    @Entity(name = "UuidPhoto")
    @Table(name = "photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        @Column(name = "sid")
        Long id;

        @Column(name = "id", unique = true)
        UUID uuid = UUID.randomUUID();

        @Column(name = "user_id")
        Long userId;

    }

    @Entity(name = "UuidRemark")
    @Table(name = "remark")
    static class Remark {

        @Id
        @ShardedId(shardKey = "photo")
        @Column(name = "sid")
        Long id;

        @Column(name = "id", unique = true)
        UUID uuid = UUID.randomUUID();

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "photo_sid")
        Photo photo;

    }

}
