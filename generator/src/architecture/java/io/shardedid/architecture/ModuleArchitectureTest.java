package io.shardedid.architecture;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the classes of a module use of other modules and of libraries. Each module that is
 * published compiles this test, and runs it over its own classes.
 */
class ModuleArchitectureTest {

    /** By the package below {@code io.shardedid}; all others are the generator's. */
    private static final Map<String, String> MODULES = Map.ofEntries(Map.entry("jackson", "jackson"),
            Map.entry("spring", "spring-boot-starter"), Map.entry("test", "test-support"),
            Map.entry("cli", "inspector"), Map.entry("format", "public-ids"), Map.entry("database", "database-ids"),
            Map.entry("zookeeper", "zookeeper"), Map.entry("redis", "redis"), Map.entry("shards", "shards"),
            Map.entry("routing", "routing"), Map.entry("move", "mover"),
            Map.entry("shardingsphere", "shardingsphere"));

    /** The libraries that a module may use, by the beginnings of their packages. */
    private static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            Map.entry("generator",
                    Set.of("java.sql", "jakarta.persistence", "org.hibernate", "com.zaxxer", "io.agroal")),
            Map.entry("jackson", Set.of("com.fasterxml", "tools.jackson")),
            Map.entry("spring-boot-starter",
                    Set.of("java.sql", "jakarta.persistence", "jakarta.servlet", "org.hibernate", "com.zaxxer",
                            "org.springframework", "org.springdoc", "io.swagger", "com.fasterxml", "tools.jackson",
                            "io.micrometer", "org.apache")),
            Map.entry("test-support", Set.of("org.springframework")), Map.entry("inspector", Set.of("java.sql")),
            Map.entry("public-ids", Set.of()),
            Map.entry("database-ids", Set.of()), Map.entry("zookeeper", Set.of("org.apache")),
            Map.entry("redis", Set.of("io.lettuce")), Map.entry("shards", Set.of("java.sql")),
            Map.entry("routing",
                    Set.of("java.sql", "jakarta.persistence", "org.hibernate", "com.zaxxer", "org.springframework",
                            "io.micrometer", "org.apache", "org.aopalliance", "org.flywaydb", "liquibase.integration")),
            Map.entry("mover", Set.of("java.sql", "org.postgresql", "picocli")),
            Map.entry("shardingsphere", Set.of("org.apache")));

    /** What differs from machine to machine. */
    private static final Set<String> OF_THE_MACHINE = Set.of("java.util.Locale.getDefault",
            "java.util.TimeZone.getDefault", "java.time.ZoneId.systemDefault",
            "java.nio.charset.Charset.defaultCharset");

    private static final Pattern ARROW = Pattern.compile("(?m)^ +([\\w-]+)(?:\\[.*?])? --> ([\\w-]+)$");

    private static String module;

    private static JavaClasses classes;

    @BeforeAll
    static void readTheModule() throws URISyntaxException {
        module = Path.of("").toAbsolutePath().getFileName().toString();
        Path tests = Path
            .of(ModuleArchitectureTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        classes = ArchConfiguration.withThreadLocalScope((configuration) -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter().importPath(tests.resolveSibling("classes"));
        });
    }

    @Test
    void usesTheModulesThatAreDrawn() throws IOException {
        Set<String> used = used(ModuleArchitectureTest::moduleOf);
        Set<String> drawn = drawnFrom(module);

        assertThat(used).containsAll(drawn);
        Set<String> behind = new TreeSet<>(drawn);
        for (String each : drawn) {
            behind.addAll(drawnFrom(each));
        }
        behind.add("generator");
        assertThat(behind).containsAll(used);
    }

    @Test
    void usesTheLibrariesThatItMay() {
        assertThat(classes).isNotEmpty();
        assertThat(LIBRARIES.get(module)).containsAll(used(ModuleArchitectureTest::libraryOf));
    }

    @Test
    void staticFieldsDoNotChange() {
        Predicate<JavaField> changes = (field) -> field.getModifiers().contains(JavaModifier.STATIC)
                && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !field.getModifiers().contains(JavaModifier.FINAL);

        assertThat(classes.stream().flatMap((type) -> type.getFields().stream()).filter(changes)).isEmpty();
    }

    /** What is implicit does not compile. */
    @Test
    void asksTheMachineForNoLanguageAndNoZone() {
        assertThat(classes.stream()
            .flatMap((type) -> type.getAccessesFromSelf().stream())
            .filter((access) -> OF_THE_MACHINE.contains(access.getTargetOwner().getName() + "." + access.getName())))
            .isEmpty();
    }

    private static Set<String> used(Function<String, String> part) {
        return classes.stream()
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .map((use) -> use.getTargetClass().getBaseComponentType())
            .filter((type) -> !classes.contain(type.getName()))
            .map(JavaClass::getPackageName)
            .map(part)
            .filter((name) -> !name.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String moduleOf(String name) {
        if (!name.equals("io.shardedid") && !name.startsWith("io.shardedid.")) {
            return "";
        }
        String[] parts = name.split("\\.");
        return (parts.length > 2) ? MODULES.getOrDefault(parts[2], "generator") : "generator";
    }

    private static String libraryOf(String name) {
        if (name.equals("java.sql") || name.equals("javax.sql")) {
            return "java.sql";
        }
        return name.isEmpty() || name.matches("(java|javax|io\\.shardedid|org\\.jspecify)(\\..*)?") ? ""
                : name.replaceFirst("^(\\w+\\.\\w+)\\..*", "$1");
    }

    private static Set<String> drawnFrom(String origin) throws IOException {
        Path root = Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
            .filter((folder) -> Files.exists(folder.resolve("docs/architecture.md")))
            .findFirst()
            .orElseThrow();
        String page = Files.readString(root.resolve("docs/architecture.md"));
        return ARROW.matcher(page.substring(page.indexOf("## Modules"), page.indexOf("## Packages")))
            .results()
            .filter((arrow) -> arrow.group(1).equals(origin))
            .map((arrow) -> arrow.group(2))
            .collect(Collectors.toCollection(TreeSet::new));
    }

}
