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
import io.shardedid.config.ShardedIdSettings;
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
        database.execute(
                "create table photo (id uuid not null, user_id bigint, created_at timestamp, "
                        + "constraint photo_pkey primary key (id))",
                "create table remark (id uuid not null, photo_id uuid not null, created_at timestamp, "
                        + "constraint remark_pkey primary key (id), "
                        + "constraint fk_remark_photo foreign key (photo_id) references photo (id))",
                "insert into photo values ('%s', 5, '2024-02-01 00:00:00'), ('%s', 2005, '2024-01-01 00:00:00')"
                    .formatted(OLD, UUID.randomUUID()),
                "insert into remark values ('%s', '%s', '2024-03-01 00:00:00')".formatted(UUID.randomUUID(), OLD));
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
        database.execute("insert into photo (id, user_id) values ('%s', 7)".formatted(UUID.randomUUID()),
                "insert into remark (id, photo_id) values ('%s', '%s')".formatted(UUID.randomUUID(), OLD));
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select (select count(*) from photo), count(*) from remark r "
                        + "join photo p on p.id = r.photo_id where p.id = '" + OLD + "'")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(4);
            assertThat(row.getInt(2)).isEqualTo(3);
        }
        assertThatIllegalStateException().as("a foreign key")
            .isThrownBy(() -> database.execute("insert into remark (id, photo_id) values ('%s', '%s')"
                .formatted(UUID.randomUUID(), UUID.randomUUID())));
        assertThatIllegalStateException().as("a primary key")
            .isThrownBy(() -> database.execute("insert into photo (id) values ('%s')".formatted(OLD)));
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
            AdoptionRecipe.run("back out, UUID", database);
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
