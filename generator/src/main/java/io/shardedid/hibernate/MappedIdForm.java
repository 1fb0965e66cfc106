package io.shardedid.hibernate;

import java.util.UUID;
import java.util.stream.Stream;

import org.hibernate.type.BasicType;
import org.hibernate.type.descriptor.converter.spi.BasicValueConverter;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * Finds the form that a sharded id has in an attribute that Hibernate maps.
 */
final class MappedIdForm {

    /** What a refusal says about the types that have a form. */
    static final String TYPES = "supported: long, Long, String, UUID, a class with a @JavaType of its own that wraps a Long or UUID; "
            + "where the attribute is no identifier also a class with an AttributeConverter to Long, String or UUID";

    private static final Long TRIAL = 0x0123_4567_89ab_cdefL;

    private static final UUID UUID_TRIAL = new UUID(0x0123_4567_89ab_7defL, 0x8123_4567_89ab_cdefL);

    private MappedIdForm() {
    }

    /** Returns the form of an attribute, or null if its type can hold no id. */
    @SuppressWarnings("unchecked")
    static @Nullable IdForm of(MappedAttribute attribute) {
        Class<?> type = attribute.type();
        IdForm plain = IdForm.of(type, null);
        if (plain != null || !(attribute.property().getType() instanceof BasicType<?> basic)) {
            return plain;
        }
        BasicValueConverter<Object, Object> converter = (BasicValueConverter<Object, Object>) basic.getValueConverter();
        IdForm converted = (converter != null)
                ? IdForm.of(converter.getRelationalJavaType().getJavaTypeClass(), new Converted(converter)) : null;
        JavaType<Object> javaType = (JavaType<Object>) basic.getMappedJavaType();
        // Hibernate's own would take the number for a time or a truth
        if (converted != null || javaType.getClass().getName().startsWith("org.hibernate.")) {
            return converted;
        }
        return Stream.of(TRIAL, UUID_TRIAL)
            .filter((trial) -> new Wrapped(javaType, trial.getClass()).takes(trial, type))
            .findFirst()
            .map((trial) -> IdForm.of(trial.getClass(), new Wrapped(javaType, trial.getClass())))
            .orElse(null);
    }

    private static Object present(@Nullable Object id, String rule) {
        if (id == null) {
            throw new NumberFormatException(rule);
        }
        return id;
    }

    /** A type that a JPA converter takes to an id. */
    private record Converted(BasicValueConverter<Object, Object> converter) implements IdForm.Wrapping {

        @Override
        public Object wrap(Object id) {
            Object value = this.converter.toDomainValue(id);
            if (value == null) {
                throw new IllegalStateException("converter must make a value of every id: id=" + id);
            }
            return value;
        }

        @Override
        public Object unwrap(Object value) {
            return present(this.converter.toRelationalValue(value), "must not convert to null");
        }

    }

    /** A type that a {@code @JavaType} of the application wraps around an id. */
    private record Wrapped(JavaType<Object> javaType, Class<?> id) implements IdForm.Wrapping {

        @Override
        public Object wrap(Object id) {
            return this.javaType.wrap(id, null);
        }

        @Override
        public Object unwrap(Object value) {
            return present(this.javaType.unwrap(value, this.id, null), "must not unwrap to null");
        }

        boolean takes(Object trial, Class<?> type) {
            try {
                Object value = wrap(trial);
                return type.isInstance(value) && trial.equals(unwrap(value));
            }
            catch (RuntimeException ex) {
                return false;
            }
        }

    }

}
