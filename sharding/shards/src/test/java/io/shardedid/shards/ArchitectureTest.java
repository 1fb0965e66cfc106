package io.shardedid.shards;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What this module uses of the generator. */
@Tag("slow")
class ArchitectureTest {

    private static final JavaClasses MAIN = new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.shardedid.shards");

    @Test
    void usesOnlyThePortsOfTheGenerator() {
        Set<String> used = MAIN.stream()
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .map((use) -> use.getTargetClass().getName().replaceFirst("\\$.*", ""))
            .filter((name) -> name.matches("io\\.shardedid\\.(?!shards\\.)[a-z]+\\..*"))
            .collect(Collectors.toCollection(TreeSet::new));

        assertThat(used).containsExactly("io.shardedid.internal.MessageText", "io.shardedid.internal.NearestName",
                "io.shardedid.internal.lease.LeaseStore", "io.shardedid.internal.lease.LeaseThread",
                "io.shardedid.internal.lease.LeaseThreadTask", "io.shardedid.internal.lease.jdbc.ConfirmedCommit",
                "io.shardedid.internal.lease.jdbc.KeeperDatabase", "io.shardedid.internal.lease.jdbc.TableScript");
    }

}
