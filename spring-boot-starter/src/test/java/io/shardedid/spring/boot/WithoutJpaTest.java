package io.shardedid.spring.boot;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application that has Spring JDBC, and no class of JPA, Hibernate or Spring Data JPA.
 */
@Tag("proof")
class WithoutJpaTest {

    private static final Pattern JPA = Pattern
        .compile("(hibernate|jakarta\\.persistence|spring-orm|spring-data-jpa|spring-boot-(starter-data-jpa|"
                + "data-jpa|hibernate|jpa|persistence))-.*\\.jar");

    @Test
    void applicationWithJdbcAloneLeasesAWorkerAndMakesIds() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            for (String jpa : new String[] { "jakarta.persistence.Entity", "org.hibernate.SessionFactory",
                    "org.springframework.orm.jpa.AbstractEntityManagerFactoryBean",
                    "org.springframework.data.jpa.repository.JpaRepository" }) {
                assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass(jpa));
            }

            Object id = Class.forName(JdbcAlone.class.getName(), true, loader).getMethod("firstId").invoke(null);

            assertThat(IdLayout.standard().parse((Long) id).shard()).isEqualTo(5);
        }
        finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter((entry) -> !JPA.matcher(entry.getFileName().toString()).matches())
            .map(WithoutJpaTest::url)
            .toArray(URL[]::new);
    }

    private static URL url(Path entry) {
        try {
            return entry.toUri().toURL();
        }
        catch (MalformedURLException ex) {
            throw new IllegalArgumentException(ex);
        }
    }

    /** The application, which the class loader without JPA loads. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class JdbcAlone {

        public static long firstId() {
            try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
                TestPropertyValues
                    .of("spring.datasource.url=jdbc:h2:mem:jdbc-alone", "spring.flyway.enabled=false",
                            "spring.liquibase.enabled=false")
                    .applyTo(context);
                context.register(JdbcAlone.class);
                context.refresh();
                return context.getBean(ShardedIds.class).next(5);
            }
        }

    }

}
