package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.UuidLayout;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.hibernate.AnnotationException;
import org.hibernate.annotations.JavaType;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.dialect.Dialect;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.JdbcTypeIndicators;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * UUIDs that carry the shard, in every mapping that a UUID can have.
 */
@Tag("every-database")
class UuidMappingTest {

    private static final String HERE = UuidMappingTest.class.getName() + "$";

    private static final UUID VERSION_4 = UUID.fromString("936da01f-9abd-4d9d-80c7-02af85c822a8");

    private static final int WORKER = 28;

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(WORKER);
        unit = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "hibernate.jdbc.batch_size", 50), Photo.class,
                TextPhoto.class, BinaryPhoto.class, Ticket.class, Counted.class, Wrapped.class, Kept.class,
                Founder.class, Voucher.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static <T> T persisted(T entity) {
        unit.persist(entity);
        return entity;
    }

    private static <T> List<T> list(String hql, Class<T> type) {
        return unit.fromTransaction((session) -> session.createSelectionQuery(hql, type).getResultList());
    }

    @Test
    void idCarriesTheShardOfTheKeyAndTheWorker() {
        Photo photo = persisted(new Photo(4711));

        assertThat(UuidLayout.parse(photo.id).shard()).isEqualTo(4711 % 2000);
        assertThat(UuidLayout.parse(photo.id).worker()).isEqualTo(WORKER);
        assertThat(unit.<Photo>fromTransaction((session) -> session.find(Photo.class, photo.id)).userId)
            .isEqualTo(4711);
    }

    @Test
    void rowWithoutAKeyFoundsItsShard() {
        Founder before = persisted(new Founder());
        for (int i = 0; i < 20; i++) {
            Founder next = persisted(new Founder());
            assertThat(next.id).isGreaterThan(before.id);
            before = next;
        }
    }

    @Test
    void attributeBesideTheIdIsConverted() {
        Ticket ticket = new Ticket();
        ticket.id = 1L;
        ticket.userId = 55;
        unit.persist(ticket);

        assertThat(UuidLayout.shardOf(ticket.code.value())).isEqualTo(55);
        assertThat(unit.<Ticket>fromTransaction((session) -> session.find(Ticket.class, 1L)).code)
            .isEqualTo(ticket.code);
    }

    @Test
    void typeOfTheApplicationWrapsAUuid() {
        Wrapped wrapped = persisted(new Wrapped());

        assertThat(UuidLayout.isVersion7(wrapped.id.value())).isTrue();
        assertThat(unit.<Wrapped>fromTransaction((session) -> session.find(Wrapped.class, wrapped.id))).isNotNull();
    }

    @Test
    void columnIsOfTypeUuid() throws Exception {
        try (Connection connection = unit.database.connect();
                ResultSet columns = connection.createStatement().executeQuery("select id from UuidPhoto")) {
            assertThat(columns.getMetaData().getColumnTypeName(1).toLowerCase(Locale.ROOT))
                .isEqualTo((UnitDatabase.KIND == UnitDatabase.Kind.MYSQL) ? "binary" : "uuid");
        }
    }

    @Test
    void idsSortAsTheyWereMadeInEveryColumn() {
        List<UUID> photos = new ArrayList<>();
        List<UUID> texts = new ArrayList<>();
        List<UUID> bytes = new ArrayList<>();
        unit.inTransaction((session) -> {
            session.createMutationQuery("delete from UuidText").executeUpdate();
            session.createMutationQuery("delete from UuidBinary").executeUpdate();
            for (int i = 0; i < 5000; i++) {
                if (i % 100 == 0) {
                    TextPhoto text = new TextPhoto();
                    session.persist(text);
                    texts.add(text.id);
                    BinaryPhoto binary = new BinaryPhoto();
                    session.persist(binary);
                    bytes.add(binary.id);
                    Photo photo = new Photo(888);
                    session.persist(photo);
                    photos.add(photo.id);
                }
                else {
                    // the sequence comes to both halves of its range
                    ids.uuids().next(888);
                }
            }
        });
        assertThat(list("select id from UuidPhoto where userId = 888 order by id", UUID.class)).isEqualTo(photos);
        assertThat(list("select id from UuidText order by id", UUID.class)).isEqualTo(texts);
        assertThat(list("select id from UuidBinary order by id", UUID.class)).isEqualTo(bytes);
    }

    @Test
    void functionsReadUuids() {
        unit.persist(new Photo(1999), new Photo(0), new Photo(1), new TextPhoto());
        for (String entity : new String[] { "UuidPhoto", "UuidText" }) {
            for (Object[] row : list("select id, uuid_shard_of(id), uuid_instant(id) from " + entity, Object[].class)) {
                assertThat(row[1]).isEqualTo(UuidLayout.shardOf((UUID) row[0]));
                assertThat((Instant) row[2]).isEqualTo(UuidLayout.instantOf((UUID) row[0]));
            }
        }
        assertThat(list("select userId from UuidPhoto where uuid_shard_of(id) = 1999 and userId = 1999", Long.class))
            .isNotEmpty()
            .allMatch((user) -> user == 1999);
    }

    @Test
    void sqlOfThePageReadsTheShard() throws Exception {
        unit.persist(new Photo(1341));
        try (Connection connection = unit.database.connect();
                ResultSet shards = connection.createStatement()
                    .executeQuery("select %s from UuidPhoto where userId = 1341"
                        .formatted(AdoptionRecipe.shardOfUuid(unit.database)))) {
            assertThat(shards.next()).isTrue();
            assertThat(shards.getInt(1)).isEqualTo(1341);
        }
    }

    @Test
    void functionsReadUuidsInTypesOfTheApplication() {
        Wrapped wrapped = persisted(new Wrapped());
        Ticket ticket = new Ticket();
        ticket.id = 2L;
        ticket.userId = 1234;
        unit.persist(ticket);

        assertThat(list("select id, uuid_shard_of(id), uuid_instant(id) from UuidWrapped", Object[].class))
            .contains(new Object[] { wrapped.id, UuidLayout.shardOf(wrapped.id.value()),
                    UuidLayout.instantOf(wrapped.id.value()) });
        assertThat(list("select uuid_shard_of(code), uuid_instant(code) from UuidTicket where id = 2", Object[].class))
            .containsExactly(new Object[] { 1234, UuidLayout.instantOf(ticket.code.value()) });
        assertThat(list("select uuid_shard_of(coalesce(code, code)) from UuidTicket where id = 2", Integer.class))
            .containsExactly(1234);
        assertThat(unit.<Integer>fromTransaction((session) -> session
            .createSelectionQuery("select uuid_shard_of(:id) from UuidTicket where id = 2", Integer.class)
            .setParameter("id", ticket.code.value())
            .getSingleResult())).isEqualTo(1234);
        assertThat(list(
                "select uuid_shard_of(w.id) from UuidWrapped w where uuid_shard_of(w.id) >= 0 group by uuid_shard_of(w.id)",
                Integer.class))
            .isNotEmpty();
    }

    @Test
    void functionsReadNumbersOfASubquery() {
        Counted number = persisted(new Counted(persisted(new Photo(43))));

        assertThat(list("select shard_of(made.number) from (select c.id as number from UuidCounted c where c.id = "
                + number.id + ") made", Integer.class))
            .containsExactly(43);
    }

    @Test
    void assignedUuidIsKeptIfItCanBeOneOfTheRow() {
        Kept kept = new Kept();
        kept.userId = 12;
        kept.id = ids.uuids().nextFor(12L);
        UUID assigned = kept.id;
        unit.persist(kept);
        assertThat(kept.id).isEqualTo(assigned);

        assertRefused(VERSION_4, "id='" + VERSION_4 + "'", "version 7", "ShardedIds");
        UUID other = ids.uuids().next(13);
        assertRefused(other, "id='" + other + "'", "'userId'", "shard=13", "key=12", "nextFor");
    }

    @Test
    void assignedUuidOfATimeToComeIsRefused() {
        UUID made = ids.uuids().nextFor(12L);
        UUID tomorrow = new UUID(made.getMostSignificantBits() + (86_400_000L << 16), made.getLeastSignificantBits());
        Kept kept = new Kept();
        kept.userId = 12;
        kept.id = tomorrow;
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(kept))
            .withMessageContainingAll(HERE + "Kept", "id='" + tomorrow + "'", "time=" + UuidLayout.instantOf(tomorrow),
                    "latest=", "ShardedIds");
    }

    @Test
    void typeOfTheApplicationThatHoldsNoUuidIsRefused() {
        Voucher voucher = new Voucher();
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(voucher))
            .withMessageContainingAll("value='Code[value=null]'", HERE + "Voucher", "shardKey");
    }

    private static void assertRefused(UUID assigned, String... fields) {
        Kept kept = new Kept();
        kept.userId = 12;
        kept.id = assigned;
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.persist(kept))
            .withMessageContaining(HERE + "Kept")
            .withMessageContainingAll(fields);
    }

    @Test
    void layoutWithoutRoomIsRefusedAtBoot() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(
                    () -> TestUnit
                        .of(Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", 5,
                                "shardedid.layout.preset", "sonyflake"), Founder.class)
                        .close())
            .withMessageContainingAll(HERE + "Founder.id", "tick=10ms", "standard");
    }

    @Entity(name = "UuidPhoto")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        UUID id;

        long userId;

        Photo() {
        }

        Photo(long userId) {
            this.userId = userId;
        }

    }

    @Entity(name = "UuidCounted")
    static class Counted {

        @Id
        @ShardedId(shardKey = "photo")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Photo photo;

        Counted() {
        }

        Counted(Photo photo) {
            this.photo = photo;
        }

    }

    @Entity(name = "UuidText")
    static class TextPhoto {

        @Id
        @ShardedId
        @JdbcTypeCode(SqlTypes.CHAR)
        @Column(length = 36)
        UUID id;

    }

    @Entity(name = "UuidBinary")
    static class BinaryPhoto {

        @Id
        @ShardedId
        @JdbcTypeCode(SqlTypes.BINARY)
        @Column(length = 16)
        UUID id;

    }

    @Entity(name = "UuidFounder")
    static class Founder {

        @Id
        @ShardedId
        UUID id;

    }

    @Entity(name = "UuidKept")
    static class Kept {

        @Id
        @ShardedId(shardKey = "userId", allowAssigned = true)
        UUID id;

        long userId;

    }

    @Entity(name = "UuidTicket")
    static class Ticket {

        @Id
        Long id;

        @ShardedId(shardKey = "userId")
        @Convert(converter = CodeConverter.class)
        Code code;

        long userId;

    }

    @Entity(name = "UuidVoucher")
    static class Voucher {

        @Id
        @ShardedId(colocateWith = "code")
        UUID id;

        @JavaType(CodeType.class)
        Code code = new Code(null);

    }

    @Entity(name = "UuidWrapped")
    static class Wrapped {

        @Id
        @ShardedId
        @JavaType(CodeType.class)
        Code id;

    }

    record Code(UUID value) implements java.io.Serializable {
    }

    static class CodeConverter implements AttributeConverter<Code, UUID> {

        @Override
        public UUID convertToDatabaseColumn(Code code) {
            return (code != null) ? code.value() : null;
        }

        @Override
        public Code convertToEntityAttribute(UUID value) {
            return (value != null) ? new Code(value) : null;
        }

    }

    static class CodeType extends AbstractClassJavaType<Code> {

        private static final long serialVersionUID = 1L;

        public CodeType() {
            super(Code.class);
        }

        @Override
        public JdbcType getRecommendedJdbcType(JdbcTypeIndicators context) {
            return context.getJdbcType(SqlTypes.UUID);
        }

        /** Of a binary column, which would be filled up with zeros. */
        @Override
        public long getDefaultSqlLength(Dialect dialect, JdbcType type) {
            return 16;
        }

        @Override
        public Code fromString(CharSequence text) {
            return new Code(UUID.fromString(text.toString()));
        }

        @Override
        public <X> X unwrap(Code code, Class<X> type, WrapperOptions options) {
            return (code == null) ? null : type.cast((type == byte[].class) ? bytes(code.value())
                    : (type == String.class) ? code.value().toString() : code.value());
        }

        private static byte[] bytes(UUID value) {
            return java.nio.ByteBuffer.allocate(16)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits())
                .array();
        }

        @Override
        public <X> Code wrap(X value, WrapperOptions options) {
            if (value instanceof Code code) {
                return code;
            }
            if (value instanceof byte[] bytes) {
                java.nio.ByteBuffer buffer = java.nio.ByteBuffer.wrap(bytes);
                return new Code(new UUID(buffer.getLong(), buffer.getLong()));
            }
            return (value == null) ? null
                    : new Code((value instanceof UUID uuid) ? uuid : UUID.fromString(value.toString()));
        }

    }

}
