package io.shardedid.floor;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.FieldAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * Finds the target of an access the way the virtual machine links it: by owner, name and
 * exact descriptor, in the classes of one class loader.
 */
final class Linkage {

    private static final Map<String, Class<?>> PRIMITIVES = Stream
        .of(void.class, boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class,
                double.class)
        .collect(Collectors.toMap(Class::getName, Function.identity()));

    private final ClassLoader loader;

    Linkage(ClassLoader loader) {
        this.loader = loader;
    }

    /** How the access links, such as {@code invokeInterface}; empty if it does not. */
    Optional<String> of(JavaAccess<?> access) {
        try {
            return found(access);
        }
        catch (ClassNotFoundException | LinkageError ex) {
            return Optional.empty();
        }
    }

    private Optional<String> found(JavaAccess<?> access) throws ClassNotFoundException {
        Class<?> owner = type(access.getTargetOwner());
        MethodHandles.Lookup lookup;
        try {
            lookup = MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
        }
        catch (IllegalAccessException ex) {
            throw new IllegalStateException(ex);
        }
        String name = access.getName();
        if (access.getTarget() instanceof FieldAccessTarget field) {
            Class<?> type = type(field.getRawType());
            return first(lookup, () -> lookup.findGetter(owner, name, type),
                    () -> lookup.findStaticGetter(owner, name, type));
        }
        CodeUnitAccessTarget target = (CodeUnitAccessTarget) access.getTarget();
        Class<?>[] parameters = new Class<?>[target.getRawParameterTypes().size()];
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = type(target.getRawParameterTypes().get(i));
        }
        MethodType type = MethodType.methodType(type(target.getRawReturnType()), parameters);
        if (name.equals("<init>")) {
            return first(lookup, () -> lookup.findConstructor(owner, type));
        }
        return first(lookup, () -> lookup.findVirtual(owner, name, type), () -> lookup.findStatic(owner, name, type));
    }

    private Optional<String> first(MethodHandles.Lookup lookup, Search... searches) {
        for (Search search : List.of(searches)) {
            try {
                MethodHandleInfo member = lookup.revealDirect(search.run());
                boolean hidden = Modifier.isPrivate(member.getModifiers());
                return Optional
                    .of(MethodHandleInfo.referenceKindToString(member.getReferenceKind()) + (hidden ? " private" : ""));
            }
            catch (ReflectiveOperationException ex) {
                // the next kind
            }
        }
        return Optional.empty();
    }

    private Class<?> type(JavaClass type) throws ClassNotFoundException {
        Class<?> primitive = PRIMITIVES.get(type.getName());
        return (primitive != null) ? primitive : Class.forName(type.getName(), false, this.loader);
    }

    @FunctionalInterface
    private interface Search {

        MethodHandle run() throws ReflectiveOperationException;

    }

}
