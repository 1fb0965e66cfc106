package io.shardedid.hibernate;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.config.ShardedIdSettings;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Columns that cannot hold ids, found before a row is stored. */
@Tag("every-database")
class IdColumnsTest {

    static ShardedIdEngine ids;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(21);
    }

    @AfterAll
    static void close() {
        ids.close();
    }

    private static void start(UnitDatabase database, Class<?>... entities) {
        TestUnit.in(database, Map.of("hibernate.hbm2ddl.auto", "none", ShardedIdSettings.ENGINE, ids), entities)
            .close();
    }

    @Test
    void narrowColumnsOfIdsAndReferencesAreNamed() {
        UnitDatabase database = UnitDatabase.fresh();
        String integer = UnitDatabase.KIND.isAutoIncrement() ? "integer unsigned" : "integer";
        database.execute("create table narrow_photo (id " + integer + " primary key)",
                "create table narrow_remark (id double precision primary key, photo_id bigint)",
                "create table narrow_remark_photo (remark_id " + integer + ", photos_id numeric(18,0))",
                "create table narrow_line (order_id bigint, line_number smallint)");
        assertThatExceptionOfType(ShardedIdMappingException.class)
            .isThrownBy(() -> start(database, Photo.class, Remark.class, Line.class))
            .satisfies((refused) -> assertThat(refused.getMessage().toLowerCase())
                .startsWith("columns cannot hold sharded ids: ")
                .contains("narrow_photo.id int", "narrow_remark.id ", "narrow_line.line_number ",
                        "narrow_remark_photo.remark_id int", "narrow_remark_photo.photos_id ")
                .doesNotContain("narrow_remark.photo_id")
                .contains(" (they must hold whole numbers up to 9223372036854775807); make them bigint, as "));
    }

    @Test
    void wideColumnsAndMissingTablesAreLeftAlone() {
        UnitDatabase database = UnitDatabase.fresh();
        start(database, Photo.class, Remark.class, Line.class);
        database.execute("create table narrow_photo (id bigint primary key)",
                "create table narrow_remark (id numeric(19,0) primary key, photo_id bigint)",
                "create table narrow_line (order_id integer, line_number bigint)");
        start(database, Photo.class, Remark.class, Line.class);
    }

    /** Where I and i are no pair. */
    @Test
    void narrowColumnIsNamedInEachLanguage() {
        UnitDatabase database = UnitDatabase.fresh();
        database.execute("create table narrow_image (PixelId integer primary key)");
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("tr-TR"));
        try {
            assertThatExceptionOfType(ShardedIdMappingException.class).isThrownBy(() -> start(database, Image.class))
                .satisfies((refused) -> assertThat(refused.getMessage().toLowerCase(Locale.ROOT))
                    .startsWith("columns cannot hold sharded ids: narrow_image.pixelid int"));
        }
        finally {
            Locale.setDefault(before);
        }
    }

    /** Whoever is lent it next would begin within the transaction. */
    @Test
    void connectionGoesBackWithoutATransaction() {
        UnitDatabase database = UnitDatabase.fresh();
        List<String> calls = new ArrayList<>();
        DataSource pool = (DataSource) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { DataSource.class }, (source, asked, nothing) -> {
                    if (!asked.getName().equals("getConnection")) {
                        return asked.invoke(calls, nothing);
                    }
                    Connection lent = database.connect();
                    lent.setAutoCommit(false);
                    return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
                            (proxy, method, arguments) -> {
                                calls.add(method.getName());
                                try {
                                    return method.invoke(lent, arguments);
                                }
                                catch (InvocationTargetException ex) {
                                    throw ex.getCause();
                                }
                            });
                });
        TestUnit
            .in(database, Map.of("hibernate.hbm2ddl.auto", "none", ShardedIdSettings.ENGINE, ids,
                    "hibernate.connection.datasource", pool), Photo.class)
            .close();
        assertThat(calls).endsWith("rollback", "close");
    }

    /** Hibernate would cut the number, whatever the column holds. */
    @Test
    void typeThatCutsNumbersIsNamed() {
        assertThatExceptionOfType(ShardedIdMappingException.class)
            .isThrownBy(() -> start(UnitDatabase.fresh(), Cut.class))
            .withMessageStartingWith("Columns cannot hold sharded ids: " + Cut.class.getName() + ".id integer (");
    }

    @Entity(name = "NarrowPhoto")
    @Table(name = "narrow_photo")
    static class Photo {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "NarrowImage")
    @Table(name = "narrow_image")
    static class Image {

        @Id
        @ShardedId
        @Column(name = "PixelId")
        Long id;

    }

    @Entity(name = "NarrowRemark")
    @Table(name = "narrow_remark")
    static class Remark {

        @Id
        @ShardedId
        Long id;

        @ManyToOne
        Photo photo;

        @ManyToMany
        @JoinTable(name = "narrow_remark_photo", joinColumns = @JoinColumn(name = "remark_id"),
                inverseJoinColumns = @JoinColumn(name = "photos_id"))
        List<Photo> photos;

    }

    @Embeddable
    record LineId(@Column(name = "order_id") long order, @ShardedId @Column(name = "line_number") Long number) {
    }

    @Entity(name = "NarrowLine")
    @Table(name = "narrow_line")
    static class Line {

        @EmbeddedId
        LineId id;

    }

    @Entity(name = "NarrowCut")
    static class Cut {

        @Id
        @ShardedId
        @JdbcTypeCode(SqlTypes.INTEGER)
        Long id;

    }

}
