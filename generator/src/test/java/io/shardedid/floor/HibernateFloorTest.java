package io.shardedid.floor;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Function;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdValueGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One jar runs from Hibernate 6.6 on: main code uses nothing that the oldest one lacks.
 */
@Tag("slow")
class HibernateFloorTest {

    private static final String NEWER = NewerHibernateCalls.class.getName();

    private static final String CONTEXT = "org.hibernate.generator.GeneratorCreationContext";

    private static FloorClassLoader loader;

    private static HibernateFloor floor;

    @BeforeAll
    static void open() {
        Path classes = Path
            .of(URI.create(HibernateFloorTest.class.getProtectionDomain().getCodeSource().getLocation().toString()));
        loader = FloorClassLoader.over(classes.resolveSibling("hibernate-floor"), ShardedIds.class,
                NewerHibernateCalls.class);
        floor = new HibernateFloor(loader);
    }

    @AfterAll
    static void close() throws IOException {
        loader.close();
    }

    @Test
    void mainCodeUsesNothingThatTheOldestHibernateLacks() {
        JavaClasses main = imported((importer) -> importer.withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.shardedid"));
        assertThat(main.contain(ShardedIdValueGenerator.class)).isTrue();
        assertThat(floor.missedBy(main)).as("what Hibernate %s lacks", version()).isEmpty();
    }

    @Test
    void findsWhatOnlyNewerOnesHave() {
        JavaClasses newer = imported((importer) -> importer.importClasses(NewerHibernateCalls.CallsMethods.class,
                NewerHibernateCalls.NamesAClass.class, NewerHibernateCalls.HasOneFormOfTwo.class));
        assertThat(floor.missedBy(newer)).containsExactlyInAnyOrder(
                "'%s$CallsMethods.type(%s)' uses '%2$s.getType()', which is no such member there".formatted(NEWER,
                        CONTEXT),
                "'%s$CallsMethods.root()' uses '%s.getRootClass()', which is no such member there".formatted(NEWER,
                        CONTEXT),
                "'%s$CallsMethods.reference(jakarta.persistence.EntityManager, java.lang.Object)' uses "
                    .formatted(NEWER) + "'jakarta.persistence.EntityManager.getReference(java.lang.Object)', "
                        + "which is no such member there",
                "'%s$NamesAClass' uses 'org.hibernate.models.spi.MemberDetails', which is no class there"
                    .formatted(NEWER),
                "'%s$HasOneFormOfTwo' does not implement 'public abstract void ".formatted(NEWER)
                        + "org.hibernate.generator.AnnotationBasedGenerator.initialize(java.lang.annotation.Annotation,"
                        + "java.lang.reflect.Member,%s)', which is abstract there".formatted(CONTEXT));
    }

    @Test
    void theOldestHibernateIsAskedAndNotThatOfTheClassPath() {
        assertThat(version()).startsWith("6.6.").isNotEqualTo(org.hibernate.Version.getVersionString());
    }

    private static String version() {
        try {
            return (String) loader.loadClass("org.hibernate.Version").getMethod("getVersionString").invoke(null);
        }
        catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Names are enough: the linkage is looked up apart from this. */
    private static JavaClasses imported(Function<ClassFileImporter, JavaClasses> which) {
        return ArchConfiguration.withThreadLocalScope((configuration) -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return which.apply(new ClassFileImporter());
        });
    }

}
