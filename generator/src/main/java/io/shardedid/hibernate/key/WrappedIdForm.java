package io.shardedid.hibernate.key;

import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * An id in a type of the application that its own {@code @JavaType} wraps around a
 * number.
 *
 * @param javaType the descriptor that the application wrote
 */
record WrappedIdForm(JavaType<Object> javaType) implements IdForm {

    private static final long TRIAL = 0x0123_4567_89ab_cdefL;

    @SuppressWarnings("unchecked")
    static @Nullable IdForm of(Class<?> type, JavaType<?> javaType) {
        // Hibernate's own would take the number for a time or a truth
        if (javaType.getClass().getName().startsWith("org.hibernate.")) {
            return null;
        }
        IdForm form = new WrappedIdForm((JavaType<Object>) javaType);
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
