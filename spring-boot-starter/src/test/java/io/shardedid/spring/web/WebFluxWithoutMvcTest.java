package io.shardedid.spring.web;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;

import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.gallery.Picture;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.ApplicationContextFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.web.context.reactive.AnnotationConfigReactiveWebApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application of WebFlux and JPA, on a class path without Spring MVC and servlets.
 */
@Tag("proof")
class WebFluxWithoutMvcTest {

    private static final Pattern MVC = Pattern
        .compile("spring(-boot)?-webmvc.*|.*servlet.*|.*tomcat-embed-(core|websocket).*|springdoc-.*");

    @Test
    void makesIdsAndCarriesThemAsStrings() throws Exception {
        ClassLoader ours = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(withoutMvc(), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Object seen = loader.loadClass(Reactive.class.getName()).getMethod("run").invoke(null);

            assertThat(seen).asString()
                .isEqualTo("REACTIVE, 400, {\"albumId\":\"7\",\"cover\":null,\"id\":\"?\",\"views\":0}");
        }
        finally {
            Thread.currentThread().setContextClassLoader(ours);
        }
    }

    private static URL[] withoutMvc() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter((path) -> !MVC.matcher(path.getFileName().toString()).matches())
            .map(WebFluxWithoutMvcTest::url)
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

    /** Loaded by the loader that knows no Spring MVC. */
    public static final class Reactive {

        private Reactive() {
        }

        public static String run() {
            SpringApplication application = new SpringApplication(GalleryApplication.class);
            WebApplicationType type = application.getWebApplicationType();
            application.setApplicationContextFactory(
                    ApplicationContextFactory.of(AnnotationConfigReactiveWebApplicationContext::new));
            try (ConfigurableApplicationContext context = application.run("--spring.main.banner-mode=off",
                    "--spring.jpa.hibernate.ddl-auto=create",
                    "--spring.jpa.properties.jakarta.persistence.validation.mode=none",
                    "--spring.datasource.url=jdbc:h2:mem:reactive")) {
                WebTestClient web = WebTestClient.bindToApplicationContext(context).build();
                String id = Long.toString(save(context));
                String status = web.get().uri("/pictures/-1").exchange().returnResult(String.class).getStatus().value()
                        + "";
                String body = web.get()
                    .uri("/entities/" + id)
                    .exchange()
                    .returnResult(String.class)
                    .getResponseBody()
                    .blockFirst();
                return String.join(", ", type.name(), status, body.replace(id, "?"));
            }
        }

        private static long save(ConfigurableApplicationContext context) {
            try (EntityManager entities = context.getBean(EntityManagerFactory.class).createEntityManager()) {
                Picture picture = new Picture();
                picture.setAlbumId(7);
                entities.getTransaction().begin();
                entities.persist(picture);
                entities.getTransaction().commit();
                return picture.getId();
            }
        }

    }

}
