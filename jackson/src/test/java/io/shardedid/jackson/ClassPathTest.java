package io.shardedid.jackson;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What the module needs on a class path, and what it does without.
 */
class ClassPathTest {

    private static final JavaClasses MAIN = ArchConfiguration.withThreadLocalScope((configuration) -> {
        configuration.setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.shardedid.jackson");
    });

    /** The tests of JSON run on the same class path. */
    @ParameterizedTest
    @ValueSource(strings = { "org.springframework.core.SpringVersion", "org.springframework.boot.SpringApplication",
            "org.springframework.http.HttpStatus", "org.hibernate.SessionFactory" })
    void worksWithoutSpringAndHibernate(String absent) {
        assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> Class.forName(absent));
    }

    /** An application has one Jackson or the other. Annotations are those of both. */
    static Stream<Arguments> rules() {
        return Stream.of(arguments(noClasses().should()
            .dependOnClassesThat(not(nameMatching(
                    "java\\..*|io\\.shardedid\\.([A-Z]|config\\.|key\\.|jackson\\.).*|(tools|com\\.fasterxml)\\.jackson\\..*"
                            + "|org\\.jspecify\\..*|[a-z]+|\\[.*"))),
                ClassPathTest.class),
                arguments(noClasses().that(nameMatching(".*(Jackson2|\\.Json)[A-Z].*"))
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("tools.jackson.."), Jackson2SeesJackson3.class),
                arguments(
                        noClasses().that(not(nameMatching(".*Jackson2[A-Z].*")))
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage("com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind.."),
                        Jackson3SeesJackson2.class));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void holds(ArchRule rule, Class<?> broken) {
        rule.check(MAIN);
        assertThat(rule.evaluate(new ClassFileImporter().importClasses(broken)).hasViolation())
            .as("a class that breaks the rule is told of")
            .isTrue();
    }

    @Test
    void publicTypesAreThoseThatApplicationsUseAndThoseOfOtherModules() {
        Set<String> types = MAIN.stream()
            .filter((type) -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getSimpleName)
            .collect(Collectors.toSet());

        assertThat(types).containsExactlyInAnyOrder("JsonShardedId", "ShardedIdJacksonModule",
                "ShardedIdJackson2Module", "UnmarkedNumbers", "JsonIds", "IdText", "IdTexts");
    }

    static class Jackson2SeesJackson3 {

        tools.jackson.databind.JavaType type;

    }

    static class Jackson3SeesJackson2 {

        com.fasterxml.jackson.databind.JavaType type;

    }

}
