package io.shardedid.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The arrows between the packages of the starter. */
@Tag("slow")
class ArchitectureTest {

    private static final JavaClasses MAIN = new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.shardedid.spring");

    /** No arrow leads back, so there is no cycle either. */
    @Test
    void packagesUseOnlyWhatIsDrawn() throws IOException {
        Set<String> arrows = MAIN.stream()
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .map((use) -> part(use.getOriginClass().getPackageName()) + " -> "
                    + part(use.getTargetClass().getPackageName()))
            .filter((arrow) -> Arrays.stream(arrow.split(" -> ", -1))
                .distinct()
                .filter((part) -> !part.isEmpty())
                .count() == 2)
            .collect(Collectors.toCollection(TreeSet::new));

        assertThat(arrows).containsExactly("actuate -> boot", "json -> boot");
        assertThat(drawn()).isEqualTo(arrows);
    }

    private static Set<String> drawn() throws IOException {
        String page = Files.readString(Path.of("../docs/architecture.md"));
        String packages = page.substring(page.indexOf("## Packages of the starter"), page.indexOf("## From `persist`"));
        return Pattern.compile("(?m)^ +(\\w+)(?:\\[.*?])? --> (\\w+)$")
            .matcher(packages)
            .results()
            .map((arrow) -> arrow.group(1) + " -> " + arrow.group(2))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A part of the starter, or empty for everything else. */
    private static String part(String name) {
        String starter = "io.shardedid.spring.";
        return name.startsWith(starter) ? name.substring(starter.length()) : "";
    }

}
