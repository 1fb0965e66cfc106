package io.shardedid.spring.boot;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.format.PublicIdFormats;
import io.shardedid.spring.forms.FormsApplication;
import io.shardedid.spring.forms.Snapshot;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that ask for other forms of ids without the module that writes them: they
 * start in a JVM with the class path of the tests but that module.
 */
@Tag("slow")
class MissingPublicIdsTest {

    private static final String ARTIFACT = "'shardedid-public-ids', which is not on the class path: ";

    private static final Properties FAILURES = new Properties();

    @BeforeAll
    static void startWithoutTheModule(@TempDir Path folder) throws Exception {
        Path module = Path.of(PublicIdFormats.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String others = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((path) -> !Path.of(path).equals(module))
            .collect(Collectors.joining(File.pathSeparator));
        Path failures = folder.resolve("failures");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-cp", others, Starts.class.getName(), failures.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("printed").toFile())
            .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES) && process.exitValue() == 0)
                .as(() -> "printed: " + printed(folder))
                .isTrue();
        }
        finally {
            process.destroyForcibly();
        }
        try (Reader reader = Files.newBufferedReader(failures)) {
            FAILURES.load(reader);
        }
    }

    @Test
    void entityWhoseIdsHaveAnotherForm() {
        assertThat(FAILURES.getProperty("FormsApplication")).isEqualTo("'@PublicId' on '" + Snapshot.class.getName()
                + "' needs an artifact that is not on the class path: artifact=shardedid-public-ids (ids would leave as "
                + "numbers); add 'io.shardedid:shardedid-public-ids', or remove the annotation");
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedid.form=crockford", "shardedid.form=decimal", "shardedid.sealing.keys[0]=s3cret" })
    void keys(String key) {
        assertThat(FAILURES.getProperty("FormsApplication --" + key)).isEqualTo("Configuration keys of " + ARTIFACT
                + "'" + key.replaceFirst("(\\[0])?=.*", "") + "'; add that artifact, or remove the keys");
    }

    /** As in a slice test, and where the application makes the engine itself. */
    @Test
    void keysWithoutAnEngine() {
        assertThat(FAILURES.getProperty("TextsAlone --shardedid.form=sealed"))
            .isEqualTo("Configuration keys of " + ARTIFACT + "'shardedid.form'; add that artifact, or remove the keys");
        assertThat(FAILURES.getProperty("TextsAlone")).as("without the keys it starts").isEmpty();
    }

    private static String printed(Path folder) {
        try {
            return Files.readString(folder.resolve("printed"));
        }
        catch (IOException ex) {
            return ex.toString();
        }
    }

    /**
     * Starts the applications one after another, and writes down what ends each start.
     */
    static final class Starts {

        private static final Properties RESULTS = new Properties();

        private Starts() {
        }

        public static void main(String[] file) throws Exception {
            start(FormsApplication.class);
            start(FormsApplication.class, "--shardedid.form=crockford");
            start(FormsApplication.class, "--shardedid.form=decimal");
            start(FormsApplication.class, "--shardedid.sealing.keys[0]=s3cret");
            start(TextsAlone.class, "--shardedid.form=sealed");
            start(TextsAlone.class);
            try (Writer writer = Files.newBufferedWriter(Path.of(file[0]))) {
                RESULTS.store(writer, null);
            }
            System.exit(0);
        }

        private static void start(Class<?> application, String... arguments) {
            SpringApplication start = new SpringApplication(application);
            start.setWebApplicationType(WebApplicationType.NONE);
            String[] all = Stream
                .concat(Arrays.stream(arguments), Stream.of("--shardedid.worker.mode=fixed", "--shardedid.worker.id=1",
                        "--spring.jpa.open-in-view=false"))
                .toArray(String[]::new);
            String failure = "";
            try (ConfigurableApplicationContext context = start.run(all)) {
                context.isActive();
            }
            catch (RuntimeException ex) {
                Throwable cause = ex;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                failure = String.valueOf(cause.getMessage());
            }
            RESULTS.put(Stream.concat(Stream.of(application.getSimpleName()), Arrays.stream(arguments))
                .collect(Collectors.joining(" ")), failure);
        }

    }

    @ImportAutoConfiguration(ShardedIdFormAutoConfiguration.class)
    static class TextsAlone {

    }

}
