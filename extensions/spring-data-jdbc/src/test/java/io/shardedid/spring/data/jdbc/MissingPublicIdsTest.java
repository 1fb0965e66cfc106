package io.shardedid.spring.data.jdbc;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.test.TestWorker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Aggregates whose ids have another form, without the module that writes it: each test
 * runs with the class path of all tests but that module and JPA.
 */
@Tag("slow")
class MissingPublicIdsTest {

    /** An application with an engine of its own has no settings. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void endTheStart(boolean withSettings) throws Exception {
        assertThat(failure("failure", withSettings)).isEqualTo("'@PublicId' on '" + Photo.class.getName()
                + "' needs an artifact that is not on the class path: artifact=shardedid-public-ids (ids would leave as "
                + "numbers); add 'io.shardedid:shardedid-public-ids', or remove the annotation");
    }

    @Test
    void keysEndTheStart() throws Exception {
        for (String key : List.of("shardedid.form", "shardedid.sealing.keys")) {
            assertThat(failure("failureOfApplication", "--" + key + "=sealed"))
                .isEqualTo("Configuration keys of 'shardedid-public-ids', which is not on the class path: '" + key
                        + "'; add that artifact, or remove the keys");
        }
        assertThat(failure("failureOfApplication", "--some.other=key")).isEqualTo("");
    }

    private static Object failure(String method, Object argument) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(withoutTheModule(), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            return loader.loadClass(Start.class.getName())
                .getMethod(method, argument.getClass())
                .invoke(null, argument);
        }
        finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] withoutTheModule() throws Exception {
        Path module = Path.of(PublicIdFormats.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter((path) -> !path.equals(module))
            // which are where other lines of Spring Boot are tested
            .filter((path) -> !path.toString().matches(".*(hibernate-core|spring-data-jpa).*"))
            .map(MissingPublicIdsTest::url)
            .toArray(URL[]::new);
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        }
        catch (MalformedURLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Runs in the other class loader. */
    public static final class Start {

        private Start() {
        }

        /** Returns the message of what ends the start. */
        public static String failure(Boolean withSettings) {
            JdbcMappingContext mapping = new JdbcMappingContext();
            mapping.getRequiredPersistentEntity(Photo.class);
            try (ShardedIdEngine ids = ShardedIds.builder().workers(TestWorker.of(6)).open()) {
                StaticListableBeanFactory beans = new StaticListableBeanFactory(withSettings
                        ? Map.of("ids", ids, "mapping", mapping, "settings", ShardedIdSettings.from(Map.of()))
                        : Map.of("ids", ids, "mapping", mapping));
                new AggregateIdCallback(beans.getBeanProvider(ShardedIds.class),
                        beans.getBeanProvider(ShardedIdSettings.class), beans.getBeanProvider(JdbcMappingContext.class))
                    .afterSingletonsInstantiated();
                return "";
            }
            catch (ShardedIdConfigurationException ex) {
                return String.valueOf(ex.getMessage());
            }
        }

        /** Returns the message of what ends the start of an application, or nothing. */
        public static String failureOfApplication(String key) {
            try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, key,
                    "--spring.main.web-application-type=none", "--shardedid.worker.mode=fixed",
                    "--shardedid.worker.id=1")) {
                return context.isActive() ? "" : "closed";
            }
            catch (RuntimeException ex) {
                Throwable cause = ex;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                return String.valueOf(cause.getMessage());
            }
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Photo {

        @Id
        @ShardedId
        Long id;

    }

}
