package io.shardedid.format;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What this module uses of others, and which of its packages needs a framework.
 */
@Tag("slow")
class ArchitectureTest {

    private static final JavaClasses MAIN = new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.shardedid.format");

    @Test
    void usesOnlyPublicPartsOfOtherModules() {
        assertThat(used((type) -> true,
                (type) -> type.getPackageName().startsWith("io.shardedid")
                        && !type.getPackageName().startsWith("io.shardedid.format")))
            .containsExactly("io.shardedid.IdLayout", "io.shardedid.MessageText", "io.shardedid.PublicId",
                    "io.shardedid.PublicIdForm", "io.shardedid.ShardedIdConfigurationException",
                    "io.shardedid.ShardedIdConfigurationException$Problem", "io.shardedid.ShardedIds",
                    "io.shardedid.config.JsonAsString", "io.shardedid.config.ShardedIdKey",
                    "io.shardedid.config.ShardedIdSettings", "io.shardedid.hibernate.ShardedIdService",
                    "io.shardedid.jackson.IdText", "io.shardedid.jackson.IdTexts", "io.shardedid.jackson.JsonIds",
                    "io.shardedid.jackson.JsonIds$NoIdException", "io.shardedid.jackson.JsonShardedId",
                    "io.shardedid.key.ShardedAttribute");
    }

    @Test
    void eachFrameworkIsUsedByOnePackage() {
        assertThat(used((type) -> type.getPackageName().equals("io.shardedid.format"),
                (type) -> type.getName().matches("(org\\.(hibernate|springframework)|jakarta|tools|com)\\..*")))
            .isEmpty();
        assertThat(used((type) -> type.getPackageName().endsWith(".hibernate"),
                (type) -> type.getName().startsWith("org.springframework.")))
            .isEmpty();
        assertThat(used((type) -> type.getPackageName().endsWith(".spring"),
                (type) -> type.getName().startsWith("org.hibernate.")))
            .isEmpty();
    }

    @Test
    void hasNoMutableStaticState() {
        assertThat(MAIN.stream()
            .flatMap((type) -> type.getFields().stream())
            .filter((field) -> field.getModifiers().contains(JavaModifier.STATIC)
                    && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                    && !field.getModifiers().contains(JavaModifier.FINAL)))
            .isEmpty();
    }

    private static Set<String> used(Predicate<JavaClass> by, Predicate<JavaClass> which) {
        return MAIN.stream()
            .filter(by)
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .map((use) -> use.getTargetClass().getBaseComponentType())
            .filter(which)
            .map(JavaClass::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    }

}
