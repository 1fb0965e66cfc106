package io.shardedid.hibernate;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;

/**
 * An attribute with {@link ShardedId}, as reflection finds it on a class, whether or not
 * a framework maps it. Immutable.
 *
 * @param name the name of the attribute, also where its getter is annotated
 * @param annotation the annotation
 */
record ShardedAttribute(String name, ShardedId annotation) {

    /** Those of a class, and then those of its superclasses. */
    static Stream<ShardedAttribute> of(@Nullable Class<?> type) {
        return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
            .flatMap((next) -> Stream.concat(Arrays.stream(next.getDeclaredFields()).flatMap(ShardedAttribute::onField),
                    Arrays.stream(next.getDeclaredMethods()).flatMap(ShardedAttribute::onMethod)));
    }

    private static Stream<ShardedAttribute> onField(Field field) {
        return Stream.ofNullable(field.getAnnotation(ShardedId.class))
            .map((annotation) -> new ShardedAttribute(field.getName(), annotation));
    }

    private static Stream<ShardedAttribute> onMethod(Method method) {
        return Stream.ofNullable(method.getAnnotation(ShardedId.class))
            .map((annotation) -> new ShardedAttribute(nameOf(method), annotation));
    }

    /** An accessor may have the name of its attribute. */
    private static String nameOf(Member getter) {
        String name = getter.getName();
        int prefix = name.startsWith("get") ? 3 : name.startsWith("is") ? 2 : 0;
        String rest = name.substring(prefix);
        if (prefix == 0 || rest.isEmpty() || Character.isLowerCase(rest.charAt(0))) {
            return name;
        }
        boolean kept = rest.length() > 1 && Character.isUpperCase(rest.charAt(1));
        return kept ? rest : rest.substring(0, 1).toLowerCase(Locale.ROOT) + rest.substring(1);
    }

}
