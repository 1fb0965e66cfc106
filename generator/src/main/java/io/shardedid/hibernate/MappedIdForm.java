package io.shardedid.hibernate;

import java.util.UUID;

import io.shardedid.internal.key.IdForm;
import io.shardedid.internal.key.NumberForm;
import io.shardedid.internal.key.UuidForm;
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

    private MappedIdForm() {
    }

    /**
     * Returns the form of an attribute.
     * @param attribute the attribute
     * @return the form, or null if the type of the attribute can hold no id
     */
    static @Nullable IdForm of(MappedAttribute attribute) {
        Class<?> type = attribute.type();
        IdForm plain = plain(type);
        if (plain != null) {
            return plain;
        }
        if (!(attribute.property().getType() instanceof BasicType<?> basic)) {
            return null;
        }
        IdForm converted = converted(basic.getValueConverter());
        if (converted != null) {
            return converted;
        }
        IdForm wrapped = Wrapped.of(type, basic.getMappedJavaType());
        return (wrapped != null) ? wrapped : WrappedUuid.of(type, basic.getMappedJavaType());
    }

    private static @Nullable IdForm plain(Class<?> type) {
        return (type == UUID.class) ? UuidForm.PLAIN : NumberForm.Plain.of(type);
    }

    @SuppressWarnings("unchecked")
    private static @Nullable IdForm converted(@Nullable BasicValueConverter<?, ?> converter) {
        if (converter == null) {
            return null;
        }
        var of = (BasicValueConverter<Object, Object>) converter;
        IdForm column = plain(converter.getRelationalJavaType().getJavaTypeClass());
        return (column instanceof NumberForm number) ? new Converted(of, number)
                : (column != null) ? new ConvertedUuid(of) : null;
    }

    private static Object domainValue(BasicValueConverter<Object, Object> converter, Object stored, Object id) {
        Object value = converter.toDomainValue(stored);
        if (value == null) {
            throw new IllegalStateException("converter must make a value of every id: id=" + id);
        }
        return value;
    }

    private static Object storedValue(BasicValueConverter<Object, Object> converter, Object value) {
        return present(converter.toRelationalValue(value), "must not convert to null");
    }

    private static <T> T present(@Nullable T id, String rule) {
        if (id == null) {
            throw new NumberFormatException(rule);
        }
        return id;
    }

    /**
     * An id in a type of the application that a JPA converter takes to a number or a
     * text.
     *
     * @param converter the converter of the attribute
     * @param column the form on the other side of the converter
     */
    private record Converted(BasicValueConverter<Object, Object> converter, NumberForm column) implements NumberForm {

        @Override
        public Object valueOf(long id) {
            return domainValue(this.converter, this.column.valueOf(id), id);
        }

        @Override
        public long idOf(Object value) {
            return this.column.idOf(storedValue(this.converter, value));
        }

    }

    /**
     * A UUID in a type of the application that a JPA converter takes to it.
     *
     * @param converter the converter of the attribute
     */
    private record ConvertedUuid(BasicValueConverter<Object, Object> converter) implements UuidForm {

        @Override
        public Object valueOf(UUID id) {
            return domainValue(this.converter, id, id);
        }

        @Override
        public UUID uuidOf(Object value) {
            return (UUID) storedValue(this.converter, value);
        }

    }

    /**
     * An id in a type of the application that its own {@code @JavaType} wraps around a
     * number.
     *
     * @param javaType the descriptor that the application wrote
     */
    private record Wrapped(JavaType<Object> javaType) implements NumberForm {

        private static final long TRIAL = 0x0123_4567_89ab_cdefL;

        @SuppressWarnings("unchecked")
        static @Nullable IdForm of(Class<?> type, JavaType<?> javaType) {
            // Hibernate's own would take the number for a time or a truth
            if (isHibernates(javaType)) {
                return null;
            }
            NumberForm form = new Wrapped((JavaType<Object>) javaType);
            try {
                Object value = form.valueOf(TRIAL);
                return (type.isInstance(value) && form.idOf(value) == TRIAL) ? form : null;
            }
            catch (RuntimeException ex) {
                return null;
            }
        }

        @Override
        public Object valueOf(long id) {
            return this.javaType.wrap(id, null);
        }

        @Override
        public long idOf(Object value) {
            return present(this.javaType.unwrap(value, Long.class, null), "must not unwrap to null");
        }

    }

    /**
     * A UUID in a type of the application that its own {@code @JavaType} wraps around it.
     *
     * @param javaType the descriptor that the application wrote
     */
    private record WrappedUuid(JavaType<Object> javaType) implements UuidForm {

        private static final UUID TRIAL = new UUID(0x0123_4567_89ab_7defL, 0x8123_4567_89ab_cdefL);

        @SuppressWarnings("unchecked")
        static @Nullable IdForm of(Class<?> type, JavaType<?> javaType) {
            if (isHibernates(javaType)) {
                return null;
            }
            UuidForm form = new WrappedUuid((JavaType<Object>) javaType);
            try {
                Object value = form.valueOf(TRIAL);
                return (type.isInstance(value) && TRIAL.equals(form.uuidOf(value))) ? form : null;
            }
            catch (RuntimeException ex) {
                return null;
            }
        }

        @Override
        public Object valueOf(UUID id) {
            return this.javaType.wrap(id, null);
        }

        @Override
        public UUID uuidOf(Object value) {
            return present(this.javaType.unwrap(value, UUID.class, null), "must not unwrap to null");
        }

    }

    private static boolean isHibernates(JavaType<?> javaType) {
        return javaType.getClass().getName().startsWith("org.hibernate.");
    }

}
