package io.shardedid.spring.boot;

import java.nio.file.Path;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

@ExtendWith(OutputCaptureExtension.class)
class SpringBootLineTest {

    @ParameterizedTest
    @ValueSource(strings = { "3.5.0", "3.5.16", "4.0.7", "4.1.1", "4.1.2-SNAPSHOT" })
    void testedLineStartsInSilence(String version, CapturedOutput output) {
        initialize(version);

        assertThat(output).doesNotContain("Spring Boot is newer");
    }

    @ParameterizedTest
    @ValueSource(strings = { "4.2.0-M1", "4.10.3" })
    void laterLineOfTheNewestMajorVersionStartsWithAWarning(String version, CapturedOutput output) {
        initialize(version);

        assertThat(output).contains("Spring Boot is newer than every line that 'shardedid-spring-boot-starter' was "
                + "tested with: version=" + version
                + " (tested: 3.5, 4.0, 4.1); look for a newer release of the starter");
    }

    @ParameterizedTest
    @ValueSource(strings = { "2.7.18", "3.4.13", "3.50.1", "5.0.0-M1" })
    void everyOtherLineIsRefused(String version) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> initialize(version))
            .withMessage("Spring Boot must be of a line that 'shardedid-spring-boot-starter' supports: version="
                    + version
                    + " (supported: 3.5, 4.0, 4.1); change the version of Spring Boot, or take a release of the starter "
                    + "that supports it");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "", "trunk" })
    void versionThatCannotBeReadIsRefused(@Nullable String version) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> initialize(version))
            .withMessageContaining("supports: version='" + version + "' (supported: 3.5, 4.0, 4.1)");
    }

    /** Each of them has a module that runs these tests on it. */
    @ParameterizedTest
    @MethodSource("tested")
    void testedLinesAreTested(String line) {
        assertThat(Path.of("../proof/boot-lines", line, "pom.xml")).satisfiesAnyOf(
                (module) -> assertThat(module).exists(), (module) -> assertThat(line).isEqualTo(BootLineTest.NEWEST));
    }

    static Iterable<String> tested() {
        return SpringBootLine.TESTED;
    }

    @Test
    void applicationAsksBeforeItMakesBeans() {
        SpringApplication application = new SpringApplication(Object.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        assertThat(application.getInitializers())
            .anySatisfy((ApplicationContextInitializer<?> each) -> assertThat(each).isInstanceOf(SpringBootLine.class));
        assertThatNoException().isThrownBy(() -> new SpringBootLine().initialize(new GenericApplicationContext()));
    }

    private static void initialize(@Nullable String version) {
        new SpringBootLine(version).initialize(new GenericApplicationContext());
    }

}
