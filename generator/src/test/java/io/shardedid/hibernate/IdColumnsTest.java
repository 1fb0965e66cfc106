package io.shardedid.hibernate;

import java.io.Serializable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapKeyJoinColumn;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
            .satisfies((refused) -> assertThat(refused.getMessage().toLowerCase(Locale.ROOT))
                .contains("narrow_photo.id int", "narrow_remark.id ", "narrow_line.line_number ",
                        "narrow_remark_photo.remark_id int", "narrow_remark_photo.photos_id ", "9223372036854775807")
                .doesNotContain("narrow_remark.photo_id"));
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

    /** Another application may have it. */
    @Test
    void tableOfTheSameNameInAnotherSchemaIsLeftAlone() {
        UnitDatabase database = UnitDatabase.fresh();
        String elsewhere = "t" + UUID.randomUUID().toString().replace("-", "");
        database.execute("create schema " + elsewhere,
                "create table " + elsewhere + ".narrow_photo (id integer primary key)",
                "create table narrow_photo (id bigint primary key)");
        start(database, Photo.class);
    }

    /** Whoever is lent it next would begin within the transaction. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void connectionGoesBackWithoutATransaction(boolean fails) {
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
                                // Hibernate itself has given its connection back before
                                if (fails && calls.contains("close") && method.getName().equals("getMetaData")) {
                                    calls.add("fails");
                                    throw new SQLException("shows no columns", "42501");
                                }
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
        assertThat(calls).endsWith(fails ? "fails" : "rollback", "close");
    }

    /** MySQL compares texts and numbers as doubles, and one delete took eleven rows. */
    @Test
    void columnOfAnotherKindIsRefusedUntilItIsCured() {
        assertRefusedUntilCured("create table narrow_photo (id varchar(20) primary key)", Photo.class,
                "narrow_photo.id ");
    }

    @Test
    void textsOfIdsNeedTheirLength() {
        assertRefusedUntilCured("create table narrow_text (id varchar(18) primary key, code varchar(35))", Text.class,
                "narrow_text.id ", "narrow_text.code ");
    }

    private static void assertRefusedUntilCured(String table, Class<?> entity, String... columns) {
        UnitDatabase refused = UnitDatabase.fresh();
        refused.execute(table);
        String message = assertThatExceptionOfType(ShardedIdMappingException.class)
            .isThrownBy(() -> start(refused, entity))
            .actual()
            .getMessage();
        assertThat(message.toLowerCase(Locale.ROOT)).contains(columns);
        UnitDatabase cured = UnitDatabase.fresh();
        cured.execute(table);
        cured.execute(message.substring(message.indexOf("'alter ") + 1, message.lastIndexOf('\'')).split("; "));
        start(cured, entity);
    }

    /** Scalars, parts of foreign keys, keys of maps, and ids taken from ids. */
    @Test
    void eachKindOfReferenceIsNamed() {
        UnitDatabase database = UnitDatabase.fresh();
        String integer = UnitDatabase.KIND.isAutoIncrement() ? "integer unsigned" : "integer";
        database.execute("create table narrow_order (id bigint primary key, tenant_id bigint)",
                "create table narrow_order_text (id " + integer + " primary key)",
                "create table narrow_like (id bigint primary key, photo_id " + integer + ", tenant_id bigint, order_id "
                        + integer + ")",
                "create table narrow_like_notes (like_id bigint, note varchar(9), photo_id " + integer + ")",
                "create table narrow_detail (owner_id " + integer + " primary key)",
                "create table narrow_detail_remark (detail_id " + integer + " primary key)",
                "create table narrow_big_shape (id " + integer + " primary key)");
        assertThatExceptionOfType(ShardedIdMappingException.class)
            .isThrownBy(() -> start(database, Photo.class, Order.class, Like.class, Detail.class, DetailRemark.class,
                    Shape.class, BigShape.class))
            .satisfies((refused) -> assertThat(refused.getMessage().toLowerCase(Locale.ROOT))
                .contains("narrow_like.photo_id int", "narrow_like.order_id int", "narrow_like_notes.photo_id int",
                        "narrow_detail.owner_id int", "narrow_detail_remark.detail_id int", "narrow_big_shape.id int",
                        "narrow_order_text.id int")
                .doesNotContain("tenant_id", "like_id"));
    }

    @Test
    void counterMustTakeTheNumberOfAnInsert() {
        UnitDatabase database = UnitDatabase.fresh();
        database.execute("create table narrow_photo (id bigint "
                + (UnitDatabase.KIND.isAutoIncrement() ? "auto_increment" : "generated by default as identity")
                + " primary key)");
        start(database, Photo.class);
        if (!UnitDatabase.KIND.isAutoIncrement()) {
            assertRefusedUntilCured("create table narrow_photo (id bigint generated always as identity primary key)",
                    Photo.class, "narrow_photo.id generated always", "drop identity");
        }
    }

    /** Hibernate would cut the number, whatever the column holds. */
    @Test
    void typeThatCutsNumbersIsNamed() {
        assertThatExceptionOfType(ShardedIdMappingException.class)
            .isThrownBy(() -> start(UnitDatabase.fresh(), Cut.class))
            .withMessageContaining(Cut.class.getName() + ".id integer");
    }

    @Entity(name = "NarrowPhoto")
    @Table(name = "narrow_photo")
    static class Photo {

        @Id
        @ShardedId
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

    @Entity(name = "NarrowText")
    @Table(name = "narrow_text")
    static class Text {

        @Id
        @ShardedId
        String id;

        @ShardedId
        @JdbcTypeCode(SqlTypes.VARCHAR)
        UUID code;

    }

    @Entity(name = "NarrowOrder")
    @Table(name = "narrow_order")
    @SecondaryTable(name = "narrow_order_text")
    static class Order implements Serializable {

        @Id
        @ShardedId
        Long id;

        @Column(name = "tenant_id")
        Long tenant;

    }

    @Entity(name = "NarrowLike")
    @Table(name = "narrow_like")
    static class Like {

        @Id
        @ShardedId(colocateWith = "photoId")
        Long id;

        @Column(name = "photo_id")
        Long photoId;

        @ManyToOne
        @JoinColumn(name = "tenant_id", referencedColumnName = "tenant_id")
        @JoinColumn(name = "order_id", referencedColumnName = "id")
        Order order;

        @ElementCollection
        @CollectionTable(name = "narrow_like_notes", joinColumns = @JoinColumn(name = "like_id"))
        @MapKeyJoinColumn(name = "photo_id")
        @Column(name = "note")
        Map<Photo, String> notes;

    }

    @Entity(name = "NarrowDetail")
    @Table(name = "narrow_detail")
    static class Detail {

        @Id
        Long id;

        @MapsId
        @OneToOne
        @JoinColumn(name = "owner_id")
        Photo owner;

    }

    @Entity(name = "NarrowDetailRemark")
    @Table(name = "narrow_detail_remark")
    static class DetailRemark {

        @Id
        Long id;

        @MapsId
        @OneToOne
        @JoinColumn(name = "detail_id")
        Detail detail;

    }

    @Entity(name = "NarrowShape")
    @Table(name = "narrow_shape")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    static class Shape {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "NarrowBigShape")
    @Table(name = "narrow_big_shape")
    static class BigShape extends Shape {

    }

    @Entity(name = "NarrowCut")
    static class Cut {

        @Id
        @ShardedId
        @JdbcTypeCode(SqlTypes.INTEGER)
        Long id;

    }

}
