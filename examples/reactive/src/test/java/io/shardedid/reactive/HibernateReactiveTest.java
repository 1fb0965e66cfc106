package io.shardedid.reactive;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.reactive.provider.ReactiveServiceRegistryBuilder;
import org.hibernate.reactive.stage.Stage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Hibernate Reactive and Hibernate on one class path.
 */
class HibernateReactiveTest {

    private static void boot(StandardServiceRegistryBuilder builder, Class<?> opens) {
        StandardServiceRegistry registry = builder
            .applySetting("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .applySetting("hibernate.boot.allow_jdbc_metadata_access", "false")
            .applySetting("jakarta.persistence.jdbc.user", "photos")
            .applySetting("jakarta.persistence.jdbc.password", "photos")
            .applySetting("shardedid.worker.lease.acquire", "first-use")
            .build();
        try (SessionFactory factory = new MetadataSources(registry).addAnnotatedClass(Note.class)
            .buildMetadata()
            .buildSessionFactory()) {
            factory.unwrap(opens);
        }
        finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    @Test
    void reactiveSessionFactoryNeedsNoDatabaseAtItsStart() {
        assertThatCode(() -> boot(new ReactiveServiceRegistryBuilder().applySetting("hibernate.connection.url",
                "jdbc:postgresql://127.0.0.1:1/none"), Stage.SessionFactory.class))
            .doesNotThrowAnyException();
    }

    @Test
    void plainSessionFactoryBesideItIsOne() {
        assertThatCode(() -> boot(new StandardServiceRegistryBuilder(), SessionFactory.class))
            .doesNotThrowAnyException();
    }

    @Entity
    static class Note {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

}
