package io.shardedid.jackson;

import java.util.List;
import java.util.Map;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.format.SealingKeys;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.deser.jdk.StringDeserializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.databind.util.StdConverter;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Each annotation of Jackson that can stand between an id and its form is refused, where
 * the form is not the number. Each class has the annotations of both Jacksons.
 */
class OwnFormTest {

    private static final PublicIdFormats FORMATS = PublicIdFormats.of(PublicIdForm.DECIMAL,
            SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="));

    @ParameterizedTest
    @EnumSource
    void refusesToWrite(IdFormsTest.Line line) {
        for (Object value : List.of(new Written(5), new WrittenInside(List.of()), new WrittenKeys(Map.of()),
                new WrittenConverted(5L), new WrittenConvertedInside(List.of()))) {
            assertThatThrownBy(() -> line.write(value, FORMATS)).as(value.toString())
                .hasMessageContaining(refusal(value.getClass()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesToRead(IdFormsTest.Line line) {
        for (Class<?> type : List.of(Read.class, ReadInside.class, ReadKeys.class, ReadConverted.class,
                ReadConvertedInside.class)) {
            assertThatThrownBy(() -> line.read("{}", type, FORMATS)).as(type.toString())
                .hasMessageContaining(refusal(type));
        }
    }

    private static String refusal(Class<?> type) {
        return ("Could not give attribute 'ids' of '%s' the form of its ids: form=sealed (an annotation of Jackson on it says "
                + "how it is written or read, and the number would pass); remove '@JsonFormat', '@JsonSerialize' or "
                + "'@JsonDeserialize' there")
            .formatted(type.getName());
    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Photo {

    }

    record Written(@JsonShardedId(Photo.class) @JsonSerialize(
            using = ToStringSerializer.class) @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                    using = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class) long ids) {
    }

    record WrittenInside(@JsonShardedId(Photo.class) @JsonSerialize(
            contentUsing = ToStringSerializer.class) @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                    contentUsing = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class) List<Long> ids) {
    }

    record WrittenKeys(@JsonShardedId(Photo.class) @JsonSerialize(
            keyUsing = ToStringSerializer.class) @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                    keyUsing = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class) Map<Long, String> ids) {
    }

    record WrittenConverted(@JsonShardedId(Photo.class) @JsonSerialize(
            converter = Same.class) @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                    converter = Same2.class) Long ids) {
    }

    record WrittenConvertedInside(@JsonShardedId(Photo.class) @JsonSerialize(
            contentConverter = Same.class) @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                    contentConverter = Same2.class) List<Long> ids) {
    }

    record Read(@JsonShardedId(Photo.class) @JsonDeserialize(
            using = StringDeserializer.class) @com.fasterxml.jackson.databind.annotation.JsonDeserialize(
                    using = com.fasterxml.jackson.databind.deser.std.StringDeserializer.class) long ids) {
    }

    record ReadInside(@JsonShardedId(Photo.class) @JsonDeserialize(
            contentUsing = StringDeserializer.class) @com.fasterxml.jackson.databind.annotation.JsonDeserialize(
                    contentUsing = com.fasterxml.jackson.databind.deser.std.StringDeserializer.class) List<Long> ids) {
    }

    record ReadKeys(@JsonShardedId(Photo.class) @JsonDeserialize(
            keyUsing = Key.class) @com.fasterxml.jackson.databind.annotation.JsonDeserialize(
                    keyUsing = Key2.class) Map<Long, String> ids) {
    }

    record ReadConverted(@JsonShardedId(Photo.class) @JsonDeserialize(
            converter = Same.class) @com.fasterxml.jackson.databind.annotation.JsonDeserialize(
                    converter = Same2.class) Long ids) {
    }

    record ReadConvertedInside(@JsonShardedId(Photo.class) @JsonDeserialize(
            contentConverter = Same.class) @com.fasterxml.jackson.databind.annotation.JsonDeserialize(
                    contentConverter = Same2.class) List<Long> ids) {
    }

    static final class Same extends StdConverter<Long, Long> {

        @Override
        public Long convert(Long value) {
            return value;
        }

    }

    static final class Same2 extends com.fasterxml.jackson.databind.util.StdConverter<Long, Long> {

        @Override
        public Long convert(Long value) {
            return value;
        }

    }

    static final class Key extends tools.jackson.databind.KeyDeserializer {

        @Override
        public Object deserializeKey(String key, tools.jackson.databind.DeserializationContext context) {
            return Long.valueOf(key);
        }

    }

    static final class Key2 extends com.fasterxml.jackson.databind.KeyDeserializer {

        @Override
        public Object deserializeKey(String key, com.fasterxml.jackson.databind.DeserializationContext context) {
            return Long.valueOf(key);
        }

    }

}
