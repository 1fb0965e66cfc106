package io.shardedid;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.shardedid.config.ConfigThatSeesHibernate;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.format.FormatThatSeesWorkers;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.hibernate.ShardedIdValueGenerator;
import io.shardedid.key.KeyThatSeesHibernate;
import io.shardedid.key.KeyThatSeesWorkers;
import io.shardedid.key.ShardOfKey;
import io.shardedid.worker.WorkerLeases;
import io.shardedid.worker.WorkerThatSeesHibernate;
import io.shardedid.worker.WorkerThatSeesJdbc;
import io.shardedid.worker.WorkerThatSeesTheTable;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.TableThatSeesHibernate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
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
    private static final JavaClasses BROKEN = imported(
            (importer) -> importer.importClasses(CoreThatSeesWorkers.class, CoreThatSeesHibernate.class,
                    ConfigThatSeesHibernate.class, WorkerThatSeesHibernate.class, WorkerThatSeesJdbc.class,
                    WorkerThatSeesTheTable.class, TableThatSeesHibernate.class, KeyThatSeesWorkers.class,
                    KeyThatSeesHibernate.class, FormatThatSeesWorkers.class, JdbcWorkerLeases.class, ClockReader.class,
                    ClockReference.class, WallClockReader.class, Sleeper.class, SecondCell.class, Counter.class,
                    Cache.class, SecondRegistry.class, LeaseManager.class, WorkerLeases.class, LeaseSource.class));

    private static final ArchRule CORE_SEES_NOTHING_ABOVE_IT = noClasses().that()
        .resideInAPackage("io.shardedid")
        .and()
        .doNotBelongToAnyOf(ShardedId.class)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.shardedid.(*)..", "org.hibernate..", "jakarta..", "java.sql..", "javax.sql..");

    private static final ArchRule CONFIG_SEES_NO_HIBERNATE = noClasses().that()
        .resideInAPackage("io.shardedid.config..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.shardedid.hibernate..", "org.hibernate..", "jakarta..");

    private static final ArchRule WORKERS_SEE_NO_JDBC = noClasses().that()
        .resideInAPackage("io.shardedid.worker")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.shardedid.worker.table..", "java.sql..", "javax.sql..");

    private static final ArchRule FORMATS_SEE_THE_CORE_ALONE = noClasses().that()
        .resideInAPackage("io.shardedid.format..")
        .should()
        .dependOnClassesThat(describe("are those of another package above the core",
                (target) -> target.getPackageName().startsWith("io.shardedid.")
                        && !target.getPackageName().equals("io.shardedid.format")));

    private static final ArchRule KEYS_SEE_ONLY_THE_CORE = noClasses().that()
        .resideInAPackage("io.shardedid.key")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.shardedid.hibernate..", "io.shardedid.worker..", "io.shardedid.config..",
                "org.hibernate..", "jakarta..");

    private static final ArchRule WORKERS_SEE_NO_HIBERNATE = noClasses().that()
        .resideInAPackage("io.shardedid.worker..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.shardedid.hibernate..", "org.hibernate..", "jakarta..");

    private static final ArchRule NOTHING_SEES_SPRING = noClasses().should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework..");

    private static final ArchRule NO_CYCLES = slices().matching("io.(**)")
        .should()
        .beFreeOfCycles()
        .ignoreDependency(type(ShardedId.class), alwaysTrue());

    private static final ArchRule ONE_CLASS_READS_CLOCKS_AND_WAITS = noClasses().that()
        .doNotBelongToAnyOf(TimeSource.class)
        .should()
        .accessTargetWhere(clockOrWait());

    private static final ArchRule ONE_CLASS_COMPARES_AND_SETS = noClasses().that()
        .doNotBelongToAnyOf(ShardCells.class)
        .should()
        .dependOnClassesThat()
        .areAssignableTo(VarHandle.class);

    private static final ArchRule ONE_STATIC_STATE = noFields().that()
        .areStatic()
        .and(describe("are not EngineRegistry.JVM",
                (field) -> !field.getFullName().equals(EngineRegistry.class.getName() + ".JVM")))
        .should(ArchCondition.from(mutable()));

    private static final ArchRule NAMES_SAY_WHAT_A_CLASS_IS = noClasses().should()
        .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl)");

    static Stream<Arguments> rules() {
        return Stream.of(arguments(CORE_SEES_NOTHING_ABOVE_IT, CoreThatSeesWorkers.class),
                arguments(CORE_SEES_NOTHING_ABOVE_IT, CoreThatSeesHibernate.class),
                arguments(CONFIG_SEES_NO_HIBERNATE, ConfigThatSeesHibernate.class),
                arguments(WORKERS_SEE_NO_HIBERNATE, WorkerThatSeesHibernate.class),
                arguments(WORKERS_SEE_NO_HIBERNATE, TableThatSeesHibernate.class),
                arguments(WORKERS_SEE_NO_JDBC, WorkerThatSeesJdbc.class),
                arguments(WORKERS_SEE_NO_JDBC, WorkerThatSeesTheTable.class),
                arguments(FORMATS_SEE_THE_CORE_ALONE, FormatThatSeesWorkers.class),
                arguments(KEYS_SEE_ONLY_THE_CORE, KeyThatSeesWorkers.class),
                arguments(KEYS_SEE_ONLY_THE_CORE, KeyThatSeesHibernate.class),
                arguments(NO_CYCLES, WorkerThatSeesTheTable.class), arguments(NO_CYCLES, CoreThatSeesWorkers.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, ClockReader.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, ClockReference.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, WallClockReader.class),
                arguments(ONE_CLASS_READS_CLOCKS_AND_WAITS, Sleeper.class),
                arguments(ONE_CLASS_COMPARES_AND_SETS, SecondCell.class), arguments(ONE_STATIC_STATE, Counter.class),
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

    @Test
    void packagesUseEachOtherAsIsDrawn() throws IOException {
        Set<String> arrows = MAIN.stream()
            .filter((type) -> !type.isEquivalentTo(ShardedId.class))
            .flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
            .map((use) -> List.of(use.getOriginClass().getPackageName(), use.getTargetClass().getPackageName()))
            .filter((arrow) -> arrow.get(1).startsWith("io.shardedid.") && !arrow.get(0).equals(arrow.get(1)))
            .map((arrow) -> node(arrow.get(0)) + " --> " + node(arrow.get(1)))
            .collect(Collectors.toCollection(TreeSet::new));
        assertThat(arrows).isEqualTo(drawn());
    }

    @Test
    void nothingSeesSpring() {
        NOTHING_SEES_SPRING.check(MAIN);
    }

    /** Nothing that is imported shows such an arrow, so the words are looked for. */
    @Test
    void noClassNamesTheModulesAboveOrTheirKeys() throws IOException {
        assertThat(naming(Path.of("target", "classes"), "shards.Shard", "routing", "shardedid.databases")).isEmpty();
        assertThat(naming(Path.of("target", "test-classes"), "shardedid.databases"))
            .anyMatch((path) -> path.endsWith("ArchitectureTest.class"));
    }

    private static List<String> naming(Path classes, String... words) throws IOException {
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

    @Test
    void allPackagesAreLookedAt() {
        assertThat(MAIN.contain(ShardedIds.class)).isTrue();
        assertThat(MAIN.contain(ShardedIdSettings.class)).isTrue();
        assertThat(MAIN.contain(WorkerLeases.class)).isTrue();
        assertThat(MAIN.contain(JdbcWorkerLeases.class)).isTrue();
        assertThat(MAIN.contain(PublicIdFormat.class)).isTrue();
        assertThat(MAIN.contain(ShardOfKey.class)).isTrue();
        assertThat(MAIN.contain(ShardedIdValueGenerator.class)).isTrue();
        assertThat(MAIN.contain(ArchitectureTest.class)).isFalse();
    }

    private static String node(String packageName) {
        return packageName.substring(packageName.lastIndexOf('.') + 1);
    }

    /** The arrows of the page but those to the core, which every package uses. */
    private static Set<String> drawn() throws IOException {
        String page = Files.readString(Path.of("../docs/architecture.md"));
        String drawing = page.substring(page.indexOf("## Packages of the generator"),
                page.indexOf("## From `persist` to the id"));
        return Pattern.compile("(?m)^ +(\\w+)(?:\\[.*?])? --> (\\w+)")
            .matcher(drawing)
            .results()
            .map((arrow) -> arrow.group(1) + " --> " + arrow.group(2))
            .filter((arrow) -> !arrow.endsWith(" --> core"))
            .collect(Collectors.toCollection(TreeSet::new));
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

    static class CoreThatSeesWorkers {

        WorkerLeases workers = WorkerLeases.none();

    }

    static class CoreThatSeesHibernate {

        ShardedIdValueGenerator generator = new ShardedIdValueGenerator();

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
