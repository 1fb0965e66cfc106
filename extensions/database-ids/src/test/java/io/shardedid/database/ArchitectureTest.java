package io.shardedid.database;

import java.lang.invoke.VarHandle;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What this module uses of the generator, and that it has no state, clock or wait of its
 * own.
 */
@Tag("slow")
class ArchitectureTest {

    private static final JavaClasses MAIN = ArchConfiguration.withThreadLocalScope((configuration) -> {
        configuration.setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.shardedid.database");
    });

    @Test
    void usesOnlyPublicPartsOfTheGenerator() {
        assertThat(used((type) -> type.getPackageName().startsWith("io.shardedid")
                && !type.getPackageName().equals("io.shardedid.database")))
            .containsExactly("io.shardedid.IdField", "io.shardedid.IdLayout", "io.shardedid.ShardFunction",
                    "io.shardedid.ShardedIdConfigurationException");
    }

    @Test
    void hasNoStateClockOrWait() {
        assertThat(MAIN.stream()
            .flatMap((type) -> type.getFields().stream())
            .filter((field) -> field.getModifiers().contains(JavaModifier.STATIC)
                    && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                    && !field.getModifiers().contains(JavaModifier.FINAL)))
            .isEmpty();
        assertThat(used((type) -> type.isEquivalentTo(Thread.class) || type.isEquivalentTo(VarHandle.class)
                || type.getPackageName().startsWith("java.util.concurrent")
                || type.getPackageName().equals("java.sql")))
            .isEmpty();
        assertThat(MAIN.stream()
            .flatMap((type) -> type.getAccessesFromSelf().stream())
            .map((access) -> access.getTargetOwner().getSimpleName() + "." + access.getName()))
            .contains("Duration.between")
            .doesNotContain("Instant.now", "LocalDateTime.now", "Clock.systemUTC", "System.nanoTime",
                    "System.currentTimeMillis");
    }

    /** Add a class here, and think of the metadata for native images. */
    @Test
    void nothingElseUsesReflectionOrReadsResources() {
        assertThat(MAIN.stream()
            .flatMap((type) -> type.getMethodCallsFromSelf().stream())
            .filter((call) -> call.getTargetOwner().isEquivalentTo(Class.class)
                    && call.getName().matches("forName|get.*(Method|Constructor|Resource).*")
                    || call.getTargetOwner().isAssignableTo(ClassLoader.class)
                    || call.getTargetOwner().isEquivalentTo(Proxy.class))
            .map((call) -> call.getOriginOwner().getSimpleName() + " " + call.getName())
            .distinct()).containsExactly("SqlTemplate getResourceAsStream");
    }

    private static Set<String> used(Predicate<JavaClass> which) {
        return MAIN.stream()
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .map((use) -> use.getTargetClass().getBaseComponentType())
            .filter(which)
            .map(JavaClass::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    }

}
