package io.shardedid.hibernate.key;

import org.hibernate.type.descriptor.converter.spi.BasicValueConverter;
import org.jspecify.annotations.Nullable;

/**
 * An id in a type of the application that a JPA converter takes to a number or a text.
 *
 * @param converter the converter of the attribute
 * @param column the form on the other side of the converter
 */
record ConvertedIdForm(BasicValueConverter<Object, Object> converter, IdForm column) implements IdForm {

    @SuppressWarnings("unchecked")
    static @Nullable IdForm of(@Nullable BasicValueConverter<?, ?> converter) {
        if (converter == null) {
            return null;
        }
        IdForm column = PlainIdForm.of(converter.getRelationalJavaType().getJavaTypeClass());
        return (column != null) ? new ConvertedIdForm((BasicValueConverter<Object, Object>) converter, column) : null;
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
