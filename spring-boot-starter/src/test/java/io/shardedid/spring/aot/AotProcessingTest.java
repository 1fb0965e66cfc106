package io.shardedid.spring.aot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.shardedid.spring.feed.FeedApplication;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application of the tests, processed ahead of time while its database is out of
 * reach, as on a machine that builds.
 */
@Tag("slow")
class AotProcessingTest {

    @TempDir
    static Path folder;

    @BeforeAll
    static void process() throws Exception {
        SpringApplicationAotProcessor.main(new String[] { Unreachable.class.getName(), source("java").toString(),
                source("resources").toString(), source("classes").toString(), "com.example", "feed" });
    }

    @Test
    void processingNeedsNeitherALeaseNorATable() throws Exception {
        assertThat(files("java")).anyMatch((file) -> file.endsWith("ShardedIdAutoConfiguration__BeanDefinitions.java"));
        assertThat(hints()).contains("io/shardedid/", "io.shardedid.hibernate.ShardedIdValueGenerator");
    }

    /** Spring Data builds a session factory for them. */
    @Test
    @Tag("boot-4")
    void repositoriesNeedNoneEither() {
        assertThat(files("java")).anyMatch((file) -> file.endsWith("PhotosImpl__AotRepository.java"));
    }

    /** One file in Spring 7, and one for each kind of hint in Spring 6. */
    private static String hints() throws IOException {
        StringBuilder hints = new StringBuilder();
        for (String file : files("resources")) {
            if (file.contains("META-INF/native-image") && file.endsWith(".json")) {
                hints.append(Files.readString(Path.of(file)));
            }
        }
        return hints.toString().replace("\\", "");
    }

    private static Path source(String name) {
        return folder.resolve(name);
    }

    private static List<String> files(String name) {
        try (Stream<Path> files = Files.walk(source(name))) {
            return files.filter(Files::isRegularFile).map(Path::toString).toList();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** An application whose database nobody can connect to. */
    @SpringBootApplication
    @EntityScan(basePackageClasses = FeedApplication.class)
    @EnableJpaRepositories(basePackageClasses = FeedApplication.class)
    static class Unreachable {

        public static void main(String[] args) {
            SpringApplication application = new SpringApplication(Unreachable.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.run("--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/nothing",
                    "--spring.datasource.username=nobody");
        }

    }

}
