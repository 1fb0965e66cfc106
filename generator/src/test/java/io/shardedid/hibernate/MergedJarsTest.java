package io.shardedid.hibernate;

import java.util.Collection;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.config.ShardedIdSettings;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.model.FunctionContributor;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.boot.registry.classloading.internal.ClassLoaderServiceImpl;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.ServiceContributor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Jars merged into one that kept the service file of another jar. */
class MergedJarsTest {

    @ParameterizedTest
    @ValueSource(classes = { Integrator.class, ServiceContributor.class, FunctionContributor.class })
    void startNamesTheServiceFileThatWasLost(Class<?> lost) {
        try (ShardedIdEngine ids = TestUnit.engine(30)) {
            StandardServiceRegistry registry = new StandardServiceRegistryBuilder(
                    new BootstrapServiceRegistryBuilder().applyClassLoaderService(new Merged(lost)).build())
                .applySetting("hibernate.connection.url", "jdbc:h2:mem:merged")
                .applySetting(ShardedIdSettings.ENGINE, ids)
                .build();
            MetadataSources sources = new MetadataSources(registry).addAnnotatedClass(Photo.class);
            assertThatExceptionOfType(ShardedIdMappingException.class)
                .isThrownBy(() -> sources.buildMetadata().buildSessionFactory().close())
                .withMessageContainingAll("'META-INF/services/" + lost.getName() + "'", "merge");
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    private static final class Merged extends ClassLoaderServiceImpl {

        private static final long serialVersionUID = 1L;

        private final Class<?> lost;

        Merged(Class<?> lost) {
            this.lost = lost;
        }

        @Override
        public <S> Collection<S> loadJavaServices(Class<S> service) {
            return super.loadJavaServices(service).stream()
                .filter((each) -> service != this.lost || !each.getClass().getName().startsWith("io.shardedid."))
                .toList();
        }

    }

    @Entity(name = "MergedPhoto")
    static class Photo {

        @Id
        @ShardedId
        Long id;

    }

}
