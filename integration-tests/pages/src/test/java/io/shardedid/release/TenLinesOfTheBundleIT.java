package io.shardedid.release;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The bundle is a Maven repository: the first lines of the README build and run from it
 * in an empty project with an empty local repository, on each generation of Spring Boot.
 * Artifacts of others come from the local repository of the outer build, or from where
 * Maven finds them.
 */
@Tag("release")
class TenLinesOfTheBundleIT {

    private static final Path FOLDER = Path.of("target", "ten-lines").toAbsolutePath();

    private static final Path LOCAL = FOLDER.resolve("local-repository");

    @ParameterizedTest
    @ValueSource(strings = { "4.1.1", "3.5.16" })
    void theTenLinesRunFromTheBundle(String boot) throws IOException, InterruptedException {
        delete(FOLDER);
        Path staged = FOLDER.resolve("staged");
        unzip(Path.of(System.getProperty("bundle.zip")), staged);
        Path project = FOLDER.resolve("project");
        copy(Path.of("../../examples/ten-lines"), project);
        Files.writeString(FOLDER.resolve("settings.xml"), settings(staged));
        assertThat(LOCAL).doesNotExist();
        Path pom = project.resolve("pom.xml");
        Files.writeString(pom, Files.readString(pom).replaceFirst("<version>[^<]+", "<version>" + boot));

        assertThat(maven(project)).contains("Tests run: ", "BUILD SUCCESS");

        assertThat(LOCAL.resolve("io/shardedid/shardedid-spring-boot-starter")).isDirectory();
        assertThat(LOCAL.resolve("io/shardedid/shardedid-parent")).doesNotExist();
        try (Stream<Path> files = Files.walk(LOCAL.resolve("org/springframework/boot/spring-boot-starter-data-jpa"))) {
            assertThat(files.map((file) -> file.getFileName().toString()).filter((name) -> name.endsWith(".jar")))
                .containsExactly("spring-boot-starter-data-jpa-" + boot + ".jar");
        }
    }

    /** The settings of the ten lines, with one repository more. */
    private static String settings(Path staged) throws IOException {
        String outer = Files.readString(Path.of("src/test/resources/settings.xml"))
            .replace("@localRepositoryUrl@", Path.of(System.getProperty("outer.repository")).toUri().toString());
        String url = staged.toUri().toString();
        return outer.replace("</mirrors>", """
                <mirror><id>staged</id><mirrorOf>staged</mirrorOf><url>%s</url></mirror>
                </mirrors>""".formatted(url)).replace("<repositories>", """
                <repositories>
                <repository><id>staged</id><url>%s</url><snapshots><enabled>true</enabled></snapshots></repository>
                """.formatted(url));
    }

    private static String maven(Path project) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("mvn", "-B", "-ntp", "-gs", FOLDER.resolve("settings.xml").toString(),
                "-Dmaven.repo.local=" + LOCAL, "verify")
            .directory(project.toFile())
            .redirectErrorStream(true)
            .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return printed;
    }

    private static void unzip(Path bundle, Path folder) throws IOException {
        try (ZipFile zip = new ZipFile(bundle.toFile())) {
            for (ZipEntry entry : zip.stream().filter((each) -> !each.isDirectory()).toList()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                try (InputStream in = zip.getInputStream(entry)) {
                    Files.copy(in, file);
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile)
                .filter((each) -> !from.relativize(each).startsWith("target"))
                .toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
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
