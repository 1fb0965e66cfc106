package io.shardedid.release;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application gets that has one published artifact and nothing else: no parent,
 * no BOM, no Spring Boot that would raise a version. Maven itself resolves a project for
 * each artifact of the bundle.
 */
@Tag("release")
class ResolvedAloneIT {

    /** The least version of what has known vulnerabilities in older ones. */
    private static final Map<String, String> LEAST = Map.of(
            // CVE-2025-58457
            "org\\.apache\\.zookeeper:zookeeper(-jute)?", "3.9.4",
            // CVE-2025-24970
            "io\\.netty:netty-(?!tcnative).*", "4.1.118",
            // CVE-2023-2976
            "com\\.google\\.guava:guava", "32.0.0",
            // CVE-2025-49146
            "org\\.postgresql:postgresql", "42.7.7");

    private static final Pattern OF_TESTS = Pattern
        .compile("(org\\.junit.*|org\\.assertj|org\\.mockito|org\\.hamcrest|org\\.testcontainers|io\\.zonky.*"
                + "|com\\.h2database|org\\.hsqldb):.*|.*-test");

    private static final Pattern RESOLVED = Pattern
        .compile("(?m)^\\s+([^:\\s]+:[^:\\s]+):jar:(?:[^:\\s]+:)?([^:\\s]+):(?:compile|runtime)\\b");

    private static final Path FOLDER = Path.of("target", "alone");

    /** The versions on the class path, by coordinates, by the artifact. */
    private static final SortedMap<String, SortedMap<String, String>> CLASS_PATHS = new TreeMap<>();

    @BeforeAll
    static void resolveEachAlone() throws IOException, InterruptedException {
        Path bundle = Path.of(System.getProperty("bundle.folder"));
        StringBuilder modules = new StringBuilder();
        for (Path jar : jars(bundle)) {
            Path coordinates = bundle.relativize(jar.getParent());
            copyInto(FOLDER.resolve("repository").resolve(coordinates), jar);
            String artifact = coordinates.getParent().getFileName().toString();
            Path pom = FOLDER.resolve(artifact).resolve("pom.xml");
            Files.createDirectories(pom.getParent());
            Files.writeString(pom, ALONE.formatted(artifact,
                    coordinates.getParent().getParent().toString().replace('/', '.'), coordinates.getFileName()));
            modules.append("<module>").append(artifact).append("</module>");
            CLASS_PATHS.put(artifact, new TreeMap<>());
        }
        Files.writeString(FOLDER.resolve("pom.xml"), ALL.formatted(modules));
        Files.writeString(FOLDER.resolve("settings.xml"), Files.readString(Path.of("src/test/resources/settings.xml"))
            .replace("@localRepositoryUrl@", Path.of(System.getProperty("outer.repository")).toUri().toString()));
        assertThat(maven(FOLDER, List.of("org.apache.maven.plugins:maven-dependency-plugin:3.10.0:list",
                "-DincludeScope=runtime", "-DoutputFile=resolved.txt")))
            .contains("BUILD SUCCESS");
        for (Map.Entry<String, SortedMap<String, String>> classPath : CLASS_PATHS.entrySet()) {
            String resolved = Files.readString(FOLDER.resolve(classPath.getKey()).resolve("resolved.txt"));
            Matcher found = RESOLVED.matcher(resolved);
            while (found.find()) {
                classPath.getValue().put(found.group(1), found.group(2));
            }
            System.out.println(classPath.getKey() + " brings " + classPath.getValue());
        }
    }

    @Test
    void nothingIsOlderThanItsLeastVersion() {
        List<String> tooOld = new ArrayList<>();
        Set<String> applied = new TreeSet<>();
        CLASS_PATHS.forEach((artifact, versions) -> versions.forEach((name, version) -> LEAST.forEach((rule, least) -> {
            if (name.matches(rule)) {
                applied.add(rule);
                if (numbers(version).compareTo(numbers(least)) < 0) {
                    tooOld.add("%s brings %s %s (at least %s)".formatted(artifact, name, version, least));
                }
            }
        })));
        assertThat(tooOld).isEmpty();
        assertThat(applied).as("each rule is about something that is there").isEqualTo(LEAST.keySet());
    }

    /** Without what follows them, as in 4.1.118.Final. */
    private static Version numbers(String version) {
        return Version.parse(version.replaceFirst("^(\\d+(?:\\.\\d+)*).*", "$1"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedid-generator", "shardedid-jackson", "shardedid-test", "shardedid-shards",
            "shardedid-shardingsphere", "shardedid-database-ids", "shardedid-public-ids" })
    void applicationGetsNothingOfOthers(String artifact) {
        assertThat(CLASS_PATHS.get(artifact)).containsKey("io.shardedid:" + artifact);
        assertThat(CLASS_PATHS.get(artifact).keySet()).allMatch((name) -> name.startsWith("io.shardedid:"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedid-spring-boot-starter", "shardedid-routing" })
    void theStarterBringsJpa(String artifact) {
        assertThat(CLASS_PATHS.get(artifact)).containsKeys("io.shardedid:" + artifact,
                "org.springframework.boot:spring-boot-starter-data-jpa", "org.hibernate.orm:hibernate-core");
    }

    @Test
    void snapshotsAreOurs() {
        assertThat(of((name, version) -> version.endsWith("SNAPSHOT") && !name.startsWith("io.shardedid:"))).isEmpty();
    }

    @Test
    void noArtifactBringsALibraryForTests() {
        assertThat(of((name, version) -> OF_TESTS.matcher(name).matches() && !name.startsWith("io.shardedid:")))
            .isEmpty();
    }

    /** The artifacts that bring such a library. */
    private static List<String> of(BiPredicate<String, String> library) {
        return CLASS_PATHS.entrySet()
            .stream()
            .filter((classPath) -> classPath.getValue()
                .entrySet()
                .stream()
                .anyMatch((found) -> library.test(found.getKey(), found.getValue())))
            .map(Map.Entry::getKey)
            .toList();
    }

    /** In a project that has the mover alone, as the page says. */
    @Test
    void commandsOfThePageMakeAFolderWithTheMover() throws IOException, InterruptedException {
        String page = Files.readString(Path.of("../../sharding/docs/moving.md"));
        Matcher shown = Pattern.compile("<!-- run by ResolvedAloneIT -->\n```sh\n(mvn .*)\n(java .*)\n```")
            .matcher(page);
        assertThat(shown.find()).isTrue();
        Path project = FOLDER.resolve("shardedid-shard-move");
        Matcher dependency = Pattern.compile("(?s)<dependency>.*?</dependency>").matcher(page);
        assertThat(dependency.find()).isTrue();
        assertThat(Files.readString(project.resolve("pom.xml")).replaceAll("\\s", ""))
            .contains(dependency.group().replaceAll("\\s", ""));

        assertThat(maven(project, List.of(shown.group(1).split(" ")).subList(1, 4))).contains("BUILD SUCCESS");
        assertThat(run(project, List.of(shown.group(2).split(" ")))).contains("plan", "move", "abort");
    }

    private static List<Path> jars(Path bundle) throws IOException {
        try (Stream<Path> files = Files.walk(bundle)) {
            return files.filter((file) -> file.toString().endsWith(".jar"))
                .filter((file) -> !file.toString().matches(".*-(sources|javadoc)\\.jar"))
                .sorted()
                .toList();
        }
    }

    /** The jar and its pom, as if they had been installed. */
    private static void copyInto(Path folder, Path jar) throws IOException {
        Files.createDirectories(folder);
        for (Path file : List.of(jar, jar.resolveSibling(jar.getFileName().toString().replace(".jar", ".pom")))) {
            Files.write(folder.resolve(file.getFileName()), Files.readAllBytes(file));
        }
    }

    private static String maven(Path folder, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("mvn", "-B", "-ntp", "-s", FOLDER.resolve("settings.xml").toAbsolutePath().toString(),
                        "-Dmaven.repo.local=" + FOLDER.resolve("repository").toAbsolutePath()));
        command.addAll(arguments);
        return run(folder, command);
    }

    /** Returns what a command prints. */
    private static String run(Path folder, List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return printed;
    }

    private static final String ALL = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>com.example</groupId>
              <artifactId>all</artifactId>
              <version>1</version>
              <packaging>pom</packaging>
              <modules>%s</modules>
            </project>
            """;

    private static final String ALONE = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>com.example</groupId>
              <artifactId>with-%1$s</artifactId>
              <version>1</version>
              <dependencies>
                <dependency>
                  <groupId>%2$s</groupId>
                  <artifactId>%1$s</artifactId>
                  <version>%3$s</version>
                </dependency>
              </dependencies>
            </project>
            """;

}
