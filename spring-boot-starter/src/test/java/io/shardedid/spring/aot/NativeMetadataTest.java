package io.shardedid.spring.aot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.shardedid.ShardedId;
import org.hibernate.annotations.IdGeneratorType;
import org.hibernate.annotations.ValueGenerationType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.UrlResource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata in the generator's jar names what is truly looked up at run time, and
 * nothing else. No native image is built here.
 */
@Tag("slow")
class NativeMetadataTest {

    private static final String FILE = "META-INF/native-image/io.shardedid/shardedid-generator/reachability-metadata.json";

    private static final Map<String, Object> METADATA = JsonParserFactory.getJsonParser()
        .parseMap(text(new ClassPathResource(FILE)));

    /** By version 1.0.0 of the schema, which later versions only extend. */
    @Test
    void usesTheWordsOfTheSchema() {
        assertThat(METADATA.keySet()).isSubsetOf("comment", "reflection", "resources");
        assertThat(entries("reflection")).allSatisfy((entry) -> {
            assertThat(entry).containsKey("type");
            assertThat(entry.keySet()).isSubsetOf("type", "condition", "methods", "allDeclaredMethods",
                    "allDeclaredFields", "allPublicMethods");
            if (entry.containsKey("condition")) {
                assertThat(map(entry.get("condition"))).containsOnlyKeys("typeReached");
            }
            assertThat(maps(entry.getOrDefault("methods", List.of()))).allSatisfy(
                    (method) -> assertThat(method.keySet()).containsExactlyInAnyOrder("name", "parameterTypes"));
        });
        assertThat(entries("resources")).allSatisfy((entry) -> assertThat(entry).containsOnlyKeys("glob"));
    }

    @Test
    void whatHibernateFindsAsAServiceCanBeFoundAndMade() {
        List<String> services = ours("META-INF/services/org.hibernate.*");

        assertThat(services).hasSize(3).allSatisfy((service) -> assertThat(resources()).contains(service));
        assertThat(services).flatExtracting((service) -> text(UrlResource.from(home() + service)).lines().toList())
            .allSatisfy((type) -> assertThat(constructible()).contains(type));
    }

    @Test
    void whatTheAnnotationNamesCanBeMade() {
        assertThat(constructible()).contains(annotation(IdGeneratorType.class).value().getName(),
                annotation(ValueGenerationType.class).generatedBy().getName());
    }

    @Test
    void theAttributesOfTheAnnotationCanBeRead() {
        assertThat(entries("reflection"))
            .anySatisfy((entry) -> assertThat(entry).containsEntry("type", ShardedId.class.getName())
                .containsEntry("allDeclaredMethods", true));
    }

    @Test
    void eachScriptIsInTheImage() {
        List<String> scripts = ours("io/shardedid/**/*.sql");

        assertThat(scripts).hasSizeGreaterThanOrEqualTo(5)
            .allSatisfy((script) -> assertThat(resources().stream())
                .anyMatch((glob) -> FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(Path.of(script))));
    }

    /** What was renamed or deleted must not stay behind. */
    @Test
    void whatIsNamedExists() throws ClassNotFoundException {
        for (Map<String, Object> entry : entries("reflection")) {
            boolean others = String.valueOf(entry.get("condition")).contains("KnownDataSource")
                    || String.valueOf(entry.get("type")).startsWith("io.agroal.");
            for (String name : others ? List.<String>of() : types(entry)) {
                assertThat(Class.forName(name)).as(name).isNotNull();
            }
        }
        for (String name : constructible()) {
            assertThat(Class.forName(name).getConstructors()).as(name)
                .anyMatch((made) -> made.getParameterCount() == 0);
        }
        assertThat(resources()).allSatisfy((glob) -> assertThat(ours(glob)).isNotEmpty());
    }

    /** Whoever adds a class here thinks of the metadata. */
    @Test
    void nothingElseUsesReflectionOrReadsResources() {
        JavaClasses generator = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.shardedid");
        Set<String> users = generator.stream()
            .filter((type) -> !type.getPackageName().matches("io\\.shardedid\\.(spring|jackson|test|tck)(\\..*)?"))
            .flatMap((type) -> type.getMethodCallsFromSelf().stream())
            .filter((call) -> Set
                .of("java.lang.Class.forName", "java.lang.Class.getMethods", "java.lang.Class.getMethod",
                        "java.lang.Class.getDeclaredMethod", "java.lang.Class.getDeclaredConstructor",
                        "java.lang.Class.getResourceAsStream", "java.lang.Class.getResource",
                        "java.lang.ClassLoader.getResources", "java.lang.ClassLoader.loadClass",
                        "java.lang.ClassLoader.getResourceAsStream", "java.lang.reflect.Proxy.newProxyInstance",
                        "java.util.ServiceLoader.load")
                .contains(call.getTargetOwner().getName() + "." + call.getName()))
            .map((call) -> call.getOriginOwner().getSimpleName() + " " + call.getName())
            .collect(Collectors.toCollection(TreeSet::new));

        // a native image finds the services of a type that is named in ServiceLoader.load
        // by itself
        assertThat(users).containsExactly("KnownDataSource forName", "KnownDataSource getMethod",
                "LeaseDialect getResourceAsStream", "MessageText getResourceAsStream", "ModuleKeys getResourceAsStream",
                "ModuleKeys getResources", "NamedShardFunction forName", "NamedShardFunction getDeclaredConstructor",
                "PoolTwin forName", "UnitConnections newProxyInstance");
    }

    private static <A extends Annotation> A annotation(Class<A> type) {
        return ShardedId.class.getAnnotation(type);
    }

    private static List<String> constructible() {
        return entries("reflection").stream()
            .filter((entry) -> maps(entry.getOrDefault("methods", List.of())).stream()
                .anyMatch((method) -> method.get("name").equals("<init>")
                        && method.get("parameterTypes").equals(List.of())))
            .flatMap((entry) -> types(entry).stream())
            .toList();
    }

    private static List<String> types(Map<String, Object> entry) {
        return (entry.get("type") instanceof String name) ? List.of(name)
                : ((List<?>) map(entry.get("type")).get("proxy")).stream().map(String::valueOf).toList();
    }

    private static List<String> resources() {
        return entries("resources").stream().map((entry) -> String.valueOf(entry.get("glob"))).toList();
    }

    private static List<Map<String, Object>> entries(String part) {
        return maps(METADATA.get(part));
    }

    private static List<Map<String, Object>> maps(Object list) {
        return ((List<?>) list).stream().map(NativeMetadataTest::map).toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    /** The resources of the generator that a pattern finds, by their names. */
    private static List<String> ours(String pattern) {
        try {
            String home = home();
            Resource[] found = new PathMatchingResourcePatternResolver().getResources("classpath*:" + pattern);
            return Stream.of(found)
                .map(NativeMetadataTest::url)
                .filter((url) -> url.startsWith(home))
                .map((url) -> url.substring(home.length()))
                .toList();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The jar of the generator, or its folder of classes. */
    private static String home() {
        return url(new ClassPathResource(FILE)).replace(FILE, "");
    }

    private static String url(Resource resource) {
        try {
            return resource.getURL().toString();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String text(Resource resource) {
        try {
            return resource.getContentAsString(StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
