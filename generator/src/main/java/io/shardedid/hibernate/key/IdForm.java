package io.shardedid.hibernate.key;

import org.hibernate.type.BasicType;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a sharded id stands in an attribute. Immutable and safe for use by
 * many threads.
 * <p>
 * The type is public for package {@code io.shardedid.hibernate} only and is no API.
 *
 * @since 0.1
 */
public interface IdForm {

    /** What a refusal says about the types that have a form. */
    String TYPES = "supported: long, Long, String, a class with a @JavaType of its own that wraps a Long; where the "
            + "attribute is no identifier also a class with an AttributeConverter to Long or String";

    /**
     * Returns the value that the attribute has for an id.
     * @param id the id
     * @return the value
     */
    Object valueOf(long id);

    /**
     * Returns the id that a value of the attribute stands for. An id from before this
     * generator came may be shorter than those that {@link #valueOf} writes.
     * @param value the value of the attribute
     * @return the id
     * @throws NumberFormatException if it stands for none
     */
    long idOf(Object value);

    /**
     * Returns the form of an attribute.
     * @param attribute the attribute
     * @return the form, or null if no id can stand in the type of the attribute
     */
    static @Nullable IdForm of(MappedAttribute attribute) {
        Class<?> type = attribute.type();
        IdForm plain = PlainIdForm.of(type);
        if (plain != null) {
            return plain;
        }
        if (!(attribute.property().getType() instanceof BasicType<?> basic)) {
            return null;
        }
        IdForm converted = ConvertedIdForm.of(basic.getValueConverter());
        return (converted != null) ? converted : WrappedIdForm.of(type, basic.getMappedJavaType());
    }

}
