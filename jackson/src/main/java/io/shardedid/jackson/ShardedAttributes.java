package io.shardedid.jackson;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of an entity that its {@link ShardedId} names as {@code shardKey} or
 * {@code colocateWith}: they hold ids of other rows.
 *
 * @param names the names of the attributes
 */
public record ShardedAttributes(Set<String> names) {

    /**
     * Looks for the annotations of a class and its superclasses.
     * @param type a class, an entity or not
     * @return the attributes; none for most classes
     */
    public static ShardedAttributes of(Class<?> type) {
        Set<String> names = new HashSet<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                add(names, field.getAnnotation(ShardedId.class));
            }
            for (Method method : c.getDeclaredMethods()) {
                add(names, method.getAnnotation(ShardedId.class));
            }
        }
        return new ShardedAttributes(names);
    }

    private static void add(Set<String> names, @Nullable ShardedId annotation) {
        if (annotation != null) {
            names.add(annotation.shardKey());
            names.add(annotation.colocateWith());
        }
    }

    /**
     * Tells whether an attribute is one of them, and a number that JavaScript would
     * round. Associations and paths are not.
     * @param attribute the name of the attribute
     * @param type its type
     * @return true for a {@code long} or {@code Long} that the annotation names
     */
    public boolean contains(String attribute, Class<?> type) {
        return this.names.contains(attribute) && (type == long.class || type == Long.class);
    }

}
