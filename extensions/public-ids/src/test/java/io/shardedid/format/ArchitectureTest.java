package io.shardedid.format;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;

/** Functions need no framework, and keep no state. */
@Tag("slow")
class ArchitectureTest {

    private static final JavaClasses MAIN = new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.shardedid.format");

    @Test
    void needsNothingButTheJdkAndTheLayout() {
        classes().should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "javax.crypto..", "org.jspecify..", "io.shardedid", "io.shardedid.internal",
                    "io.shardedid.format")
            .check(MAIN);
    }

    @Test
    void hasNoMutableState() {
        fields().that().doNotHaveName("$VALUES").should().beFinal().check(MAIN);
    }

}
