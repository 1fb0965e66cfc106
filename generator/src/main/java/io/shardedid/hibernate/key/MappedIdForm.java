package io.shardedid.hibernate.key;

import io.shardedid.key.IdForm;

import org.hibernate.type.BasicType;
import org.hibernate.type.descriptor.converter.spi.BasicValueConverter;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * Finds the form in which a sharded id stands in an attribute that Hibernate maps.
 * <p>
 * The type is public for package {@code io.shardedid.hibernate} only and is no API.
 *
 * @since 0.1
 */
public final class MappedIdForm {

    /** What a refusal says about the types that have a form. */
    public static final String TYPES = "supported: long, Long, String, a class with a @JavaType of its own that wraps a Long; where the "
            + "attribute is no identifier also a class with an AttributeConverter to Long or String";

    private MappedIdForm() {
    }

    /**
     * Returns the form of an attribute.
     * @param attribute the attribute
     * @return the form, or null if no id can stand in the type of the attribute
     */
    public static @Nullable IdForm of(MappedAttribute attribute) {
        Class<?> type = attribute.type();
        IdForm plain = IdForm.Plain.of(type);
        if (plain != null) {
            return plain;
        }
        if (!(attribute.property().getType() instanceof BasicType<?> basic)) {
            return null;
        }
        IdForm converted = Converted.of(basic.getValueConverter());
        return (converted != null) ? converted : Wrapped.of(type, basic.getMappedJavaType());
    }

    /**
     * An id in a type of the application that a JPA converter takes to a number or a
     * text.
     *
     * @param converter the converter of the attribute
     * @param column the form on the other side of the converter
     */
    private record Converted(BasicValueConverter<Object, Object> converter, IdForm column) implements IdForm {

        @SuppressWarnings("unchecked")
        static @Nullable IdForm of(@Nullable BasicValueConverter<?, ?> converter) {
            if (converter == null) {
                return null;
            }
            IdForm column = IdForm.Plain.of(converter.getRelationalJavaType().getJavaTypeClass());
            return (column != null) ? new Converted((BasicValueConverter<Object, Object>) converter, column) : null;
        }

        @Override
        public Object valueOf(long id) {
            Object value = this.converter.toDomainValue(this.column.valueOf(id));
            if (value == null) {
                throw new IllegalStateException("converter must make a value of every id: id=" + id);
            }
            return value;
        }

        @Override
        public long idOf(Object value) {
            Object stored = this.converter.toRelationalValue(value);
            if (stored == null) {
                throw new NumberFormatException("must not convert to null");
            }
            return this.column.idOf(stored);
        }

    }

    /**
     * An id in a type of the application that its own {@code @JavaType} wraps around a
     * number.
     *
     * @param javaType the descriptor that the application wrote
     */
    private record Wrapped(JavaType<Object> javaType) implements IdForm {

        private static final long TRIAL = 0x0123_4567_89ab_cdefL;

        @SuppressWarnings("unchecked")
        static @Nullable IdForm of(Class<?> type, JavaType<?> javaType) {
            // Hibernate's own would take the number for a time or a truth
            if (javaType.getClass().getName().startsWith("org.hibernate.")) {
                return null;
            }
            IdForm form = new Wrapped((JavaType<Object>) javaType);
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
            return this.javaType.unwrap(value, Long.class, null);
        }

    }

}
