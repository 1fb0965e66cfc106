package io.shardedid.hibernate;

import org.hibernate.type.BasicType;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a sharded id stands in an attribute. Immutable and safe for use by
 * many threads.
 */
interface IdForm {

    /** What a refusal says about the types that have a form. */
    String TYPES = "supported: long, Long, String, a class with a @JavaType of its own that wraps a Long; where the "
            + "attribute is no identifier also a class with an AttributeConverter to Long or String";

    /** Returns the value that the attribute has for an id. */
    Object valueOf(long id);

    /**
     * Returns the id that a value of the attribute stands for. An id from before this
     * generator came may be shorter than those that {@link #valueOf} writes.
     * @throws NumberFormatException if it stands for none
     */
    long idOf(Object value);

    /** Returns the form of an attribute, or null if no id can stand in its type. */
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
