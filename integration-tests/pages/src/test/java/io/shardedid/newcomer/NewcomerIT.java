package io.shardedid.newcomer;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Walks the path of a newcomer: clones what is committed here, runs the commands of
 * README.md and docs/getting-started.md in the clone, makes an application of the
 * README's files, and starts it on H2 and on PostgreSQL. The inspector of the installed
 * jar reads its ids back.
 * <p>
 * The steps build on each other. They write to a local repository of their own; what they
 * do not find there comes from the one of this build, which is only read.
 */
@Tag("proof")
@Tag("nightly")
@TestMethodOrder(OrderAnnotation.class)
class NewcomerIT {

    private static final Path FOLDER = Path.of(System.getProperty("newcomer.folder"));

    private static final Path CLONE = FOLDER.resolve("clone");

    private static final Path APPLICATION = FOLDER.resolve("photos");

    private static final Path TOOLS = FOLDER.resolve("tools");

    private static final String SAMPLE = "mvn -T1 -pl sample-app -am -Dmaven.test.skip spring-boot:run";

    private static final String INSTALL = "mvn install -DskipTests";

    private static final String EXTRACT = """
            unzip -p generator/target/shardedid-generator-0.1.0-SNAPSHOT.jar io/shardedid/lease-table-postgresql.sql > lease-table.sql
            """
        .strip();

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Pattern TROUBLE = Pattern.compile("\\b(ERROR|WARN|WARNING|FATAL|SEVERE)\\b");

    private static final Pattern PRINTED = Pattern.compile("photo (\\d+) of user 5711");

    @BeforeAll
    static void clones() throws Exception {
        delete(FOLDER);
        Files.createDirectories(TOOLS);
        Path settings = Files
            .writeString(FOLDER.resolve("settings.xml"), Files.readString(Path.of("src/test/resources/settings.xml"))
                .replace("@localRepositoryUrl@", Path.of(System.getProperty("outer.repository")).toUri().toString()));
        // A newcomer's 'mvn', but that it shares what this build has downloaded and makes
        // no Javadoc.
        Path maven = Files.writeString(TOOLS.resolve("mvn"), """
                #!/bin/sh
                PATH=${PATH#*:} exec mvn -B -ntp -s '%s' -Dmaven.repo.local='%s' -Dmaven.javadoc.skip "$@"
                """.formatted(settings, FOLDER.resolve("repository")));
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
        String root = Path.of("../..").toRealPath().toUri().toString();
        run(FOLDER, Map.of(), "git clone --quiet --depth 1 " + root + " clone");
    }

    @Test
    @Order(1)
    void pagesNameTheCommandsOfTheNextSteps() throws IOException {
        assertThat(Pages.of(CLONE).commands()).containsExactlyInAnyOrder(SAMPLE, "mvn verify", INSTALL, EXTRACT);
    }

    @Test
    @Order(2)
    void sampleAnswers() throws Exception {
        int port = FreePort.find();
        File log = FOLDER.resolve("sample.log").toFile();
        Process sample = start(CLONE, Map.of("SERVER_PORT", String.valueOf(port)), SAMPLE, log);
        try {
            String page = page(port, sample, log);

            assertThat(page).contains("<html").contains("ShardedId", "Festival of small lights");
            try (Stream<Path> folders = Files.walk(CLONE)) {
                assertThat(folders).as("what the first command compiles")
                    .noneMatch((folder) -> folder.endsWith("target/test-classes"));
            }
        }
        finally {
            end(sample);
        }
    }

    @Test
    @Order(3)
    void cloneIsInstalled() throws Exception {
        run(CLONE, Map.of(), INSTALL);

        assertThat(run(CLONE, Map.of(), "java -jar " + inspector() + " --version"))
            .as("the version that the name of the jar tells")
            .contains(inspector().getFileName().toString().replace("shardedid-inspector-", "").replace(".jar", ""));
        makeApplication(Pages.of(CLONE));
    }

    @Test
    @Order(4)
    void applicationRunsOnH2() throws Exception {
        String printed = run(APPLICATION, Map.of(), "mvn -q spring-boot:run");

        assertThat(readBack(printed)).contains("shard     1711");
    }

    @Test
    @Order(5)
    void applicationRunsOnPostgresql() throws Exception {
        // as a server is that is not meant for tests
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
            .setPort(FreePort.find())
            .setPGStartupWait(Duration.ofSeconds(90))
            .setServerConfig("fsync", "on")
            .start()) {
            run(CLONE, Map.of(), EXTRACT);
            try (Connection migration = server.getPostgresDatabase().getConnection()) {
                migration.createStatement().execute(Files.readString(CLONE.resolve("lease-table.sql")));
            }
            Map<String, String> database = Map.of("SPRING_DATASOURCE_URL",
                    "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres", "SPRING_DATASOURCE_USERNAME",
                    "postgres", "SPRING_JPA_HIBERNATE_DDLAUTO", "update", "SHARDEDID_WORKER_LEASE_INITIALIZESCHEMA",
                    "never");

            String first = readBack(run(APPLICATION, database, "mvn -q spring-boot:run"));
            String second = readBack(run(APPLICATION, database, "mvn -q spring-boot:run"));

            assertThat(first).contains("shard     1711");
            assertThat(second).contains("shard     1711").isNotEqualTo(first);
        }
    }

    /** The README's files, and what it leaves to its reader. */
    private static void makeApplication(Pages pages) throws IOException {
        Map<String, String> files = pages.files();
        assertThat(files).containsOnlyKeys("pom.xml", "src/main/java/photos/Photo.java",
                "src/main/java/photos/Photos.java", "src/main/resources/application.properties");
        String imports = String.join("\n", pages.imports()) + "\n\n";
        for (Map.Entry<String, String> file : files.entrySet()) {
            String text = file.getValue();
            write(file.getKey(), switch (file.getKey().replaceFirst(".*\\.", "")) {
                case "xml" -> POM.formatted(System.getProperty("newcomer.boot"), text);
                case "java" -> "package photos;\n\n" + imports + text;
                default -> text;
            });
        }
        write("src/main/java/photos/PhotosApplication.java", MAIN);
    }

    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <parent>
                <groupId>org.springframework.boot</groupId>
                <artifactId>spring-boot-starter-parent</artifactId>
                <version>%s</version>
                <relativePath/>
              </parent>
              <groupId>com.example</groupId>
              <artifactId>photos</artifactId>
              <version>1</version>
              <dependencies>
            %s
                <dependency>
                  <groupId>com.h2database</groupId>
                  <artifactId>h2</artifactId>
                  <scope>runtime</scope>
                </dependency>
                <dependency>
                  <groupId>org.postgresql</groupId>
                  <artifactId>postgresql</artifactId>
                  <scope>runtime</scope>
                </dependency>
              </dependencies>
              <build>
                <plugins>
                  <plugin>
                    <groupId>org.springframework.boot</groupId>
                    <artifactId>spring-boot-maven-plugin</artifactId>
                  </plugin>
                </plugins>
              </build>
            </project>
            """;

    private static final String MAIN = """
            package photos;

            import org.springframework.boot.CommandLineRunner;
            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;
            import org.springframework.context.annotation.Bean;

            @SpringBootApplication
            public class PhotosApplication {

                public static void main(String[] arguments) {
                    SpringApplication.run(PhotosApplication.class, arguments);
                }

                @Bean
                CommandLineRunner uploads(Photos photos) {
                    return (arguments) -> {
                        Photo photo = new Photo();
                        photo.userId = 5711L;
                        photo.caption = "a lake";
                        photos.save(photo);
                        Photo newest = photos.findByUserIdOrderByIdDesc(5711L).get(0);
                        System.out.println("photo " + newest.id + " of user " + newest.userId);
                    };
                }

            }
            """;

    /** What the inspector tells of the id that an application printed. */
    private static String readBack(String printed) throws Exception {
        assertThat(printed.lines()).filteredOn((line) -> TROUBLE.matcher(line).find()).isEmpty();
        Matcher photo = PRINTED.matcher(printed);
        assertThat(photo.find()).as(printed).isTrue();
        return run(APPLICATION, Map.of(), "java -jar " + inspector() + " parse " + photo.group(1));
    }

    /** In one folder with the jars that it needs. */
    private static Path inspector() throws IOException {
        copyOfJar("generator");
        copyOfJar("jackson");
        copyOfJar("extensions/public-ids");
        return copyOfJar("extensions/inspector");
    }

    /** Of the jar that neither carries sources nor Javadoc. */
    private static Path copyOfJar(String module) throws IOException {
        String name = "shardedid-" + module.substring(module.indexOf('/') + 1) + "-[\\d.]+(-SNAPSHOT)?\\.jar";
        Path copies = Files.createDirectories(FOLDER.resolve("jars"));
        try (Stream<Path> jars = Files.list(CLONE.resolve(module + "/target"))) {
            Path jar = jars.filter((file) -> file.getFileName().toString().matches(name)).findFirst().orElseThrow();
            return Files.copy(jar, copies.resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void write(String file, String text) throws IOException {
        Path path = APPLICATION.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static String run(Path folder, Map<String, String> environment, String command) throws Exception {
        File log = Files.createTempFile(FOLDER, "command", ".log").toFile();
        Process process = start(folder, environment, command, log);
        try {
            boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            String printed = Files.readString(log.toPath());
            assertThat(ended && process.exitValue() == 0).as("'%s' printed:%n%s", command, printed).isTrue();
            return printed;
        }
        finally {
            end(process);
        }
    }

    private static Process start(Path folder, Map<String, String> environment, String command, File log)
            throws IOException {
        ProcessBuilder process = new ProcessBuilder("sh", "-c", command).directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log);
        process.environment().merge("PATH", TOOLS.toString(), (path, tools) -> tools + ":" + path);
        // What the outer build was told is not for the inner one.
        process.environment().keySet().removeAll(List.of("MAVEN_ARGS", "MAVEN_CMD_LINE_ARGS", "MAVEN_PROJECTBASEDIR"));
        process.environment().putAll(environment);
        return process.start();
    }

    private static void end(Process process) throws InterruptedException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroy);
        process.waitFor(30, TimeUnit.SECONDS);
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private static String page(int port, Process sample, File log) throws Exception {
        for (long attempts = PATIENCE.toSeconds(); attempts > 0; attempts--) {
            try {
                return get(port, "/");
            }
            catch (IOException ex) {
                assertThat(sample.waitFor(1, TimeUnit.SECONDS))
                    .as("'%s' ended:%n%s", SAMPLE, Files.readString(log.toPath()))
                    .isFalse();
            }
        }
        throw new AssertionError("No page in " + PATIENCE + ":\n" + Files.readString(log.toPath()));
    }

    private static String get(int port, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
                    BodyHandlers.ofString())
            .body();
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

}
