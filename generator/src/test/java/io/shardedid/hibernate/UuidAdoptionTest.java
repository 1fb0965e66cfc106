package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.PreparedStatement;
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
            fill(database, ids);
            AdoptionRecipe.run("uuid, swap keys", database);
            assertAdopted(database, ids);
        }
    }

    private static void fill(UnitDatabase database, ShardedIdEngine ids) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                PreparedStatement photo = connection.prepareStatement("update photo set sid = ? where id = ?");
                PreparedStatement remark = connection
                    .prepareStatement("update remark set sid = ?, photo_sid = ? where id = ?")) {
            try (ResultSet row = statement
                .executeQuery("select id, user_id from photo where sid is null order by created_at")) {
                while (row.next()) {
                    photo.setLong(1, ids.nextFor(row.getLong(2)));
                    photo.setObject(2, row.getObject(1));
                    photo.executeUpdate();
                }
            }
            try (ResultSet row = statement.executeQuery("select r.id, p.sid from remark r "
                    + "join photo p on p.id = r.photo_id where r.sid is null order by r.created_at")) {
                while (row.next()) {
                    remark.setLong(1, ids.next(ids.shardOf(row.getLong(2))));
                    remark.setLong(2, row.getLong(2));
                    remark.setObject(3, row.getObject(1));
                    remark.executeUpdate();
                }
            }
        }
    }

    private static void assertAdopted(UnitDatabase database, ShardedIdEngine ids) {
        Map<String, Object> settings = Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.hbm2ddl.auto", "validate");
        try (TestUnit unit = TestUnit.in(database, settings, Photo.class, Remark.class)) {
            Photo photo = new Photo();
            photo.userId = 5L;
            photo.uuid = UUID.randomUUID();
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
                added.uuid = UUID.randomUUID();
                added.photo = old.photo;
                session.persist(added);
                assertThat(ids.shardOf(old.id)).isEqualTo(5);
                assertThat(ids.shardOf(added.id)).isEqualTo(5);
            });
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
        UUID uuid;

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
        UUID uuid;

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "photo_sid")
        Photo photo;

    }

}
