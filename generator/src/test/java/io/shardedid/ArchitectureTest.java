package io.shardedid;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.shardedid.internal.lease.LeaseRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The arrows between packages, and what one class alone may do. Each rule is also held
 * against a class that breaks it.
 */
class ArchitectureTest {

    private static final JavaClasses MAIN = imported(
            (importer) -> importer.withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.shardedid"));

    /** Classes that break the rules, one each, and what they need for it. */
    private static final JavaClasses BROKEN = imported((importer) -> importer.importClasses(ClockReader.class,
            ClockReference.class, WallClockReader.class, Sleeper.class, SecondCell.class, Counter.class, Cache.class,
            SecondRegistry.class, LeaseManager.class, OwnerTeller.class));

    /** What applications type for what is done in a package of ours. */
    private static final Map<String, String> FACADES = Map.of(WorkerLeases.class.getName(),
            LeaseRow.class.getPackageName(), LeaseSettings.class.getName(), LeaseRow.class.getPackageName(),
            JdbcWorkerLeases.class.getName(), LeaseRow.class.getPackageName() + ".jdbc");

    private static final ArchRule ONE_CLASS_READS_CLOCKS_AND_WAITS = noClasses().that()
        .doNotBelongToAnyOf(TimeSource.class)
        .should()
        .accessTargetWhere(clockOrWait());

    private static final ArchRule ONE_CLASS_COMPARES_AND_SETS = noClasses().that()
        .doNotBelongToAnyOf(ShardCells.class)
        .should()
        .dependOnClassesThat()
        .areAssignableTo(VarHandle.class);

    /**
     * Others write rows, too, so messages have their owners without control characters.
     */
    private static final ArchRule STORES_READ_OWNERS = noClasses().that()
        .haveNameNotMatching(".*\\.(LeaseRow|LeaseSession|TableProbe|LeaseChange|LeaseReport)")
        .should()
        .accessTargetWhere(
                describe("is LeaseRow.owner()", (access) -> access.getTargetOwner().isEquivalentTo(LeaseRow.class)
                        && access.getName().equals("owner")));

    private static final ArchRule ONE_STATIC_STATE = noFields().that()
        .areStatic()
        .and(describe("are not EngineRegistry.JVM",
                (field) -> !field.getFullName().equals(EngineRegistry.class.getName() + ".JVM")))
        .should(ArchCondition.from(mutable()));

    private static final ArchRule NAMES_SAY_WHAT_A_CLASS_IS = noClasses().should()
        .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl)");

    static Stream<Arguments> rules() {
        return Stream.of(arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, ClockReader.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, ClockReference.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, WallClockReader.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, Sleeper.class),
                arguments(ONE_CLASS_COMPARES_AND_SETS, SecondCell.class),
                arguments(STORES_READ_OWNERS, OwnerTeller.class), arguments(ONE_STATIC_STATE, Counter.class),
                arguments(ONE_STATIC_STATE, Cache.class), arguments(ONE_STATIC_STATE, SecondRegistry.class),
                arguments(NAMES_SAY_WHAT_A_CLASS_IS, LeaseManager.class));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void holds(ArchRule rule, Class<?> broken) {
        rule.check(MAIN);
        assertThat(rule.evaluate(BROKEN).getFailureReport().toString())
            .as("what is told of a class that breaks the rule")
            .contains(broken.getSimpleName());
    }

    /** No arrow leads back, so there is no cycle either. */
    @Test
    void packagesUseOnlyWhatIsDrawn() throws IOException {
        assertThat(arrows(ArchitectureTest::part)).containsExactly("config -> core", "config -> jdbc",
                "config -> lease", "hibernate -> config", "hibernate -> core", "hibernate -> jdbc", "jdbc -> core",
                "jdbc -> lease", "lease -> core");
        assertThat(drawn()).isEqualTo(arrows(ArchitectureTest::part));
    }

    @Test
    void fewPackagesUseOtherLibraries() {
        assertThat(arrows(ArchitectureTest::partOrLibrary)).containsExactly("core -> org.hibernate",
                "hibernate -> jakarta", "hibernate -> org.hibernate", "hibernate -> sql", "jdbc -> sql");
    }

    /** Nothing that is imported shows such an arrow, so the words are looked for. */
    @Test
    void noClassNamesTheModulesAboveOrTheirKeys() throws Exception {
        assertThat(naming(ShardedIds.class, "shards.Shard", "routing", "shardedid.databases")).isEmpty();
        assertThat(naming(ArchitectureTest.class, "shardedid.databases"))
            .anyMatch((path) -> path.endsWith("ArchitectureTest.class"));
    }

    /** The classes beside one that have any of the words. */
    private static List<String> naming(Class<?> one, String... words) throws IOException, URISyntaxException {
        Path classes = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            List<String> naming = new ArrayList<>();
            for (Path file : files.filter((each) -> each.toString().endsWith(".class")).toList()) {
                String text = Files.readString(file, StandardCharsets.ISO_8859_1).replace('/', '.');
                if (Arrays.stream(words).anyMatch(text::contains)) {
                    naming.add(classes.relativize(file).toString());
                }
            }
            return naming;
        }
    }

    /** An annotation names the class that reads it, and is no arrow. */
    private static Set<String> arrows(Function<String, String> part) {
        return MAIN.stream()
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .filter((use) -> !use.getOriginClass().isEquivalentTo(ShardedId.class)
                    || !use.getTargetClass().getPackageName().startsWith("io.shardedid"))
            .map((use) -> part(home(use.getOriginClass())) + " -> " + part.apply(home(use.getTargetClass())))
            .filter((arrow) -> Arrays.stream(arrow.split(" -> ", -1))
                .distinct()
                .filter((end) -> !end.isEmpty())
                .count() == 2)
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> drawn() throws IOException {
        String page = Files.readString(Path.of("../docs/architecture.md"));
        String packages = page.substring(page.indexOf("## Packages of the generator"),
                page.indexOf("## Packages of the starter"));
        return Pattern.compile("(?m)^ +(\\w+)(?:\\[.*?])? --> (\\w+)(?:\\[.*?])?$")
            .matcher(packages)
            .results()
            .map((arrow) -> arrow.group(1) + " -> " + arrow.group(2))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The package that a class belongs to, which for a facade is not its own. */
    private static String home(JavaClass type) {
        return FACADES.getOrDefault(type.getName().replaceAll("\\$.*", ""), type.getPackageName());
    }

    /** A package of the generator, or empty for everything else. */
    private static String part(String name) {
        return name.matches("io\\.shardedid(\\.internal)?") ? "core"
                : name.startsWith("io.shardedid.") ? name.substring(name.lastIndexOf('.') + 1) : "";
    }

    /** What only some packages use, or empty for everything else. */
    private static String partOrLibrary(String name) {
        return Stream.of("org.hibernate", "org.springframework", "jakarta")
            .filter((library) -> name.startsWith(library + "."))
            .findFirst()
            .orElse((name.equals("java.sql") || name.equals("javax.sql")) ? "sql" : "");
    }

    /** Names are enough: without this, half of Hibernate would be read as well. */
    private static JavaClasses imported(Function<ClassFileImporter, JavaClasses> which) {
        return ArchConfiguration.withThreadLocalScope((configuration) -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return which.apply(new ClassFileImporter());
        });
    }

    private static DescribedPredicate<JavaAccess<?>> clockOrWait() {
        Set<String> targets = Set.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis",
                "java.time.Instant.now", "java.time.LocalDateTime.now", "java.time.Clock.systemUTC",
                "java.lang.Thread.sleep", "java.util.concurrent.locks.LockSupport.park",
                "java.util.concurrent.locks.LockSupport.parkNanos");
        return describe("is a clock or a wait",
                (access) -> targets.contains(access.getTargetOwner().getName() + "." + access.getName()));
    }

    private static DescribedPredicate<JavaField> mutable() {
        return describe("be mutable",
                (field) -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                        && (!field.getModifiers().contains(JavaModifier.FINAL)
                                || field.getRawType().getPackageName().startsWith("java.util.concurrent")
                                || field.getRawType().isAssignableTo(EngineRegistry.class)
                                || field.getRawType().isAssignableTo(ThreadLocal.class)));
    }

    static class ClockReader {

        long now() {
            return System.nanoTime();
        }

    }

    static class ClockReference {

        LongSupplier now = System::currentTimeMillis;

    }

    static class WallClockReader {

        Instant now() {
            return Instant.now();
        }

    }

    static class Sleeper {

        void pause() throws InterruptedException {
            Thread.sleep(1);
        }

    }

    static class SecondCell {

        static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    }

    static class OwnerTeller {

        String holder(LeaseRow row) {
            return "held by " + row.owner();
        }

    }

    static class Counter {

        static int made;

    }

    static class Cache {

        static final ConcurrentHashMap<String, String> SEEN = new ConcurrentHashMap<>();

    }

    static class SecondRegistry {

        static final EngineRegistry MINE = new EngineRegistry();

    }

    static class LeaseManager {

    }

}
