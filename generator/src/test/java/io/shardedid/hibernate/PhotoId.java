package io.shardedid.hibernate;

import java.io.Serializable;
import java.sql.Types;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.JdbcTypeIndicators;

/**
 * A value class of an application, as some have for their ids.
 */
record PhotoId(long number) implements Serializable {

    /** Tells Hibernate how to store it. */
    static class Descriptor extends AbstractClassJavaType<PhotoId> {

        private static final long serialVersionUID = 1L;

        Descriptor() {
            super(PhotoId.class);
        }

        @Override
        public JdbcType getRecommendedJdbcType(JdbcTypeIndicators indicators) {
            return indicators.getJdbcType(Types.BIGINT);
        }

        @Override
        public PhotoId fromString(CharSequence text) {
            return new PhotoId(Long.parseLong(text.toString()));
        }

        @Override
        public <X> X unwrap(PhotoId id, Class<X> type, WrapperOptions options) {
            return (id != null) ? type.cast(type.isInstance(id) ? id : (Object) id.number()) : null;
        }

        @Override
        public <X> PhotoId wrap(X value, WrapperOptions options) {
            return (value == null) ? null : (value instanceof PhotoId id) ? id : new PhotoId((Long) value);
        }

    }

    /**
     * Stores it as its number, where an attribute names this converter or a unit
     * registers it.
     */
    @Converter(autoApply = true)
    static class NumberConverter implements AttributeConverter<PhotoId, Long> {

        @Override
        public Long convertToDatabaseColumn(PhotoId id) {
            return (id != null) ? id.number() : null;
        }

        @Override
        public PhotoId convertToEntityAttribute(Long number) {
            return (number != null) ? new PhotoId(number) : null;
        }

    }

}
