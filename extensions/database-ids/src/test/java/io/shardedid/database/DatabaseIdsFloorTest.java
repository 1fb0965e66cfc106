package io.shardedid.database;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.shardedid.ShardedIds;
import io.shardedid.floor.FloorClassLoader;
import io.shardedid.floor.HibernateFloor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One jar runs from Hibernate 6.6 on: main code uses nothing that the oldest one lacks.
 * {@code HibernateFloorTest} of the generator shows that the check finds what is newer.
 */
@Tag("slow")
class DatabaseIdsFloorTest {

    @Test
    void mainCodeUsesNothingThatTheOldestHibernateLacks() throws IOException {
        Path classes = Path.of(URI.create(getClass().getProtectionDomain().getCodeSource().getLocation().toString()));
        try (FloorClassLoader loader = FloorClassLoader.over(classes.resolveSibling("hibernate-floor"),
                ShardedIds.class, DatabaseIds.class)) {
            JavaClasses main = ArchConfiguration.withThreadLocalScope((configuration) -> {
                configuration.setResolveMissingDependenciesFromClassPath(false);
                return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.shardedid.database");
            });
            assertThat(main.contain(TriggerIdGenerator.class)).isTrue();
            assertThat(new HibernateFloor(loader).missedBy(main)).isEmpty();
        }
    }

}
