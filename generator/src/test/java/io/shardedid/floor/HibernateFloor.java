package io.shardedid.floor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * The oldest supported Hibernate, asked what compiled classes would miss there: a class,
 * a member, or an implementation of a method that it still declares abstract.
 */
public final class HibernateFloor {

    private final ClassLoader loader;

    private final Linkage here = new Linkage(HibernateFloor.class.getClassLoader());

    private final Linkage floor;

    public HibernateFloor(ClassLoader loader) {
        this.loader = loader;
        this.floor = new Linkage(loader);
    }

    /** One line for each thing missed. */
    public Stream<String> missedBy(JavaClasses classes) {
        return classes.stream().flatMap(this::missedBy).distinct();
    }

    private Stream<String> missedBy(JavaClass type) {
        return Stream.of(missingClasses(type), missingMembers(type), missingImplementations(type))
            .flatMap((lines) -> lines);
    }

    private Stream<String> missingClasses(JavaClass type) {
        return type.getDirectDependenciesFromSelf()
            .stream()
            .map(Dependency::getTargetClass)
            .map(JavaClass::getBaseComponentType)
            .map(JavaClass::getName)
            .distinct()
            .filter((name) -> FloorClassLoader.holds(name) && load(name).isEmpty())
            .map((name) -> "'%s' uses '%s', which is no class there".formatted(type.getName(), name));
    }

    private Stream<String> missingMembers(JavaClass type) {
        return type.getAccessesFromSelf()
            .stream()
            .filter((access) -> FloorClassLoader.holds(access.getTargetOwner().getName()))
            .filter((access) -> load(access.getTargetOwner().getName()).isPresent())
            .filter((access) -> !linksAlike(access))
            .map((access) -> "'%s' uses '%s', which is no such member there".formatted(access.getOwner().getFullName(),
                    access.getTarget().getFullName()));
    }

    private boolean linksAlike(JavaAccess<?> access) {
        Optional<String> link = this.floor.of(access);
        return link.isPresent() && link.equals(this.here.of(access));
    }

    private Stream<String> missingImplementations(JavaClass type) {
        return load(type.getName()).filter((loaded) -> !Modifier.isAbstract(loaded.getModifiers()))
            .stream()
            .flatMap((loaded) -> Arrays.stream(loaded.getMethods()))
            .filter((method) -> Modifier.isAbstract(method.getModifiers()))
            .map(Method::toString)
            .map((method) -> "'%s' does not implement '%s', which is abstract there".formatted(type.getName(), method));
    }

    private Optional<Class<?>> load(String name) {
        try {
            return Optional.of(Class.forName(name, false, this.loader));
        }
        catch (ClassNotFoundException ex) {
            return Optional.empty();
        }
    }

}
