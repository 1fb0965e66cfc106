package io.shardedid.hibernate;

import java.util.Map;

import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shard keys that are stored through an {@code AttributeConverter}: the value in Java
 * counts, not the column.
 */
class ConvertedKeyTest {

    private static final String HERE = ConvertedKeyTest.class.getName() + "$";

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(ByNumber.class, ByEnum.class, Like.class, AutoLike.class,
            AutoConverter.class);

    @Test
    void numberStoredAsText() {
        ByNumber entity = new ByNumber();
        entity.userId = 4_006L;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(6);
        assertThat(unit.find(ByNumber.class, entity.id).userId).isEqualTo(4_006);
    }

    @Test
    void enumStoredAsCode() {
        ByEnum entity = new ByEnum();
        entity.region = Region.SOUTH;
        assertThat(unit.statementsToPersist(entity)).containsExactly("insert");
        assertThat(unit.shardOf(entity.id)).isEqualTo(unit.ids().shardOfKey("SOUTH"));
    }

    @Test
    void wrappedShardedId() {
        Like like = new Like();
        like.photo = new PhotoId(unit.ids().next(77));
        assertThat(unit.statementsToPersist(like)).containsExactly("insert");
        assertThat(unit.shardOf(like.id)).isEqualTo(77);
    }

    @Test
    void wrappedShardedIdByAnAutoAppliedConverter() {
        AutoLike like = new AutoLike();
        like.photo = new AutoPhotoId(unit.ids().next(78));
        assertThat(unit.statementsToPersist(like)).containsExactly("insert");
        assertThat(unit.shardOf(like.id)).isEqualTo(78);
    }

    @Test
    void refusesAClassThatTheShardFunctionDoesNotKnow() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(unit.ids(), ByClass.class).close())
            .withMessageContainingAll("type=" + PhotoId.class.getName(), "photo", "shardedid.shard-function");
    }

    @Test
    void classThatAFunctionOfTheApplicationKnows() {
        try (ShardedIdEngine ids = ShardedIds.builder()
            .workers(WorkerLeases.fixed(2))
            .shardFunction(new ByPhotoId())
            .timeSource(new SkippingTime())
            .open(); TestUnit other = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids), ByClass.class)) {
            ByClass entity = new ByClass();
            entity.photo = new PhotoId(2_009);
            other.persist(entity);
            assertThat(ids.shardOf(entity.id)).isEqualTo(9);
        }
    }

    record ByPhotoId() implements ShardFunction {

        @Override
        public int shardOf(Object key, int shards) {
            return Math.floorMod(((PhotoId) key).number(), shards);
        }

        @Override
        public String id() {
            return "photo";
        }

    }

    record AutoPhotoId(long number) {
    }

    enum Region {

        NORTH, SOUTH

    }

    static class TextConverter implements AttributeConverter<Long, String> {

        @Override
        public String convertToDatabaseColumn(Long number) {
            return (number != null) ? "u" + number : null;
        }

        @Override
        public Long convertToEntityAttribute(String text) {
            return (text != null) ? Long.valueOf(text.substring(1)) : null;
        }

    }

    static class CodeConverter implements AttributeConverter<Region, String> {

        @Override
        public String convertToDatabaseColumn(Region region) {
            return (region != null) ? region.name().substring(0, 1) : null;
        }

        @Override
        public Region convertToEntityAttribute(String code) {
            return "S".equals(code) ? Region.SOUTH : Region.NORTH;
        }

    }

    @Converter(autoApply = true)
    static class AutoConverter implements AttributeConverter<AutoPhotoId, String> {

        @Override
        public String convertToDatabaseColumn(AutoPhotoId id) {
            return (id != null) ? String.valueOf(id.number()) : null;
        }

        @Override
        public AutoPhotoId convertToEntityAttribute(String text) {
            return (text != null) ? new AutoPhotoId(Long.parseLong(text)) : null;
        }

    }

    @Entity(name = "ByConvertedNumber")
    static class ByNumber {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @Convert(converter = TextConverter.class)
        Long userId;

    }

    @Entity(name = "ByConvertedEnum")
    static class ByEnum {

        @Id
        @ShardedId(shardKey = "region")
        Long id;

        @Convert(converter = CodeConverter.class)
        Region region;

    }

    @Entity(name = "ByConvertedClass")
    static class ByClass {

        @Id
        @ShardedId(shardKey = "photo")
        Long id;

        @Convert(converter = PhotoId.NumberConverter.class)
        PhotoId photo;

    }

    @Entity(name = "ConvertedLike")
    static class Like {

        @Id
        @ShardedId(colocateWith = "photo")
        Long id;

        @Convert(converter = PhotoId.NumberConverter.class)
        PhotoId photo;

    }

    @Entity(name = "AutoConvertedLike")
    static class AutoLike {

        @Id
        @ShardedId(colocateWith = "photo")
        Long id;

        AutoPhotoId photo;

    }

}
